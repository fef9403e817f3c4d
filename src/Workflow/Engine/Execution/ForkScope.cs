namespace Workflow.Engine.Execution;

/// <summary>A fork whose branches have not all met.</summary>
internal sealed class ForkScope
{
    public required int Id { get; init; }

    public required int Parent { get; init; }

    public required string Join { get; init; }

    /// <summary>Branches still under way.</summary>
    public required int Remaining { get; set; }

    /// <summary>Branches that met at the join; the others ended on their own.</summary>
    public int Arrived { get; set; }
}

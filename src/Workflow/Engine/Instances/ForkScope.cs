namespace Workflow.Engine.Instances;

/// <summary>
/// A fork whose branches have not all arrived, a sub-process whose tokens have not all ended, or the group of waits of
/// one token, which end together.
/// </summary>
internal sealed class ForkScope
{
    public required int Id { get; init; }
    public required int Parent { get; init; }

    /// <summary>The join of the fork, the sub-process, or the step of the waits.</summary>
    public required string Join { get; init; }

    /// <summary>
    /// The number of branches that have not arrived or ended, or of tokens left in the sub-process; 0 for the waits of
    /// one token.
    /// </summary>
    public required int Remaining { get; set; }

    /// <summary>The number of branches that arrived at the join. The others ended before it.</summary>
    public int Arrived { get; set; }
}

namespace Workflow.Abstractions.Definitions;

/// <summary>Runs a branch for every case that is true, until they meet at the join.</summary>
public sealed record InclusiveStep : StepDefinition
{
    public override string Type => "inclusive";

    /// <summary>All are evaluated before a branch begins; no two lead to the same step.</summary>
    public required IReadOnlyList<DecideCase> Cases { get; init; }

    /// <summary>The only branch when no case is true.</summary>
    public required string Otherwise { get; init; }

    /// <summary>The join at which every branch ends.</summary>
    public required string Join { get; init; }
}

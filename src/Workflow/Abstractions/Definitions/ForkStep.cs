namespace Workflow.Abstractions.Definitions;

/// <summary>Runs several branches until they meet at the join.</summary>
public sealed record ForkStep : StepDefinition
{
    public override string Type => "fork";

    public required IReadOnlyList<string> Branches { get; init; }

    /// <summary>The join at which every branch ends.</summary>
    public required string Join { get; init; }
}

namespace Workflow.Abstractions.Definitions;

/// <summary>Runs several branches until they meet at the join.</summary>
public sealed record ForkStep : StepDefinition
{
    /// <inheritdoc/>
    public override string Type => "fork";

    /// <summary>The first step of each branch.</summary>
    public required IReadOnlyList<string> Branches { get; init; }

    /// <summary>The join at which every branch ends.</summary>
    public required string Join { get; init; }
}

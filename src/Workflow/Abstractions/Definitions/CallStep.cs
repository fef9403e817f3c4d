namespace Workflow.Abstractions.Definitions;

/// <summary>
/// Runs a sub-workflow and waits for its end. It is an error when that failed, was cancelled or could not be started.
/// </summary>
public sealed record CallStep : CallingStep
{
    public override string Type => "call";
    public required string Definition { get; init; }

    /// <summary>Definition version; null takes the newest there is when the step begins.</summary>
    public int? Version { get; init; }
}

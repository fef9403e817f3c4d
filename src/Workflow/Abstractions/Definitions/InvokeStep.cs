namespace Workflow.Abstractions.Definitions;

/// <summary>Calls a registered activity.</summary>
public sealed record InvokeStep : CallingStep
{
    public override string Type => "invoke";
    public required string Activity { get; init; }

    /// <summary>
    /// How failed attempts are repeated; null fails at once. The timeout is for all attempts and pauses together.
    /// </summary>
    public RetryPolicy? Retry { get; init; }
}

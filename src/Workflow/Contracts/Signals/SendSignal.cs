namespace Workflow.Contracts.Signals;

/// <summary>Body of <c>POST /signals</c>.</summary>
public sealed record SendSignal
{
    public required string Name { get; init; }

    /// <summary>Correlation key, at most 512 characters.</summary>
    public required string CorrelationKey { get; init; }

    public JsonElement? Payload { get; init; }

    /// <summary>When to deliver (UTC); at once when absent or past.</summary>
    public DateTimeOffset? DueAt { get; init; }
}

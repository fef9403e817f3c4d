namespace Workflow.Abstractions.Definitions;

/// <summary>Takes its time, which may be limited. Events at its boundary are taken meanwhile.</summary>
public abstract record BoundedStep : SequentialStep
{
    /// <summary>How long it takes at most; null has no limit.</summary>
    public TimeSpan? Timeout { get; init; }

    /// <summary>The step taken when the time is over; set if and only if there is a timeout.</summary>
    public string? OnTimeout { get; init; }

    /// <summary>Null for none. Their order decides where several are there already.</summary>
    public IReadOnlyList<StepEvent>? Boundary { get; init; }
}

namespace Workflow.Abstractions.Definitions;

/// <summary>
/// A signal or a time that a step waits for beside others. Exactly one of signal, duration and until is set.
/// </summary>
public sealed record StepEvent
{
    public string? Signal { get; init; }

    /// <summary>The correlation key of the signal; null when it only comes by instance id.</summary>
    public Template? Correlation { get; init; }

    /// <summary>The variable that takes the signal's payload.</summary>
    public string? Result { get; init; }

    /// <summary>As of a <see cref="DelayStep"/>, counted from when the step begins.</summary>
    public Template? Duration { get; init; }

    /// <summary>As of a <see cref="DelayStep"/>.</summary>
    public Template? Until { get; init; }

    /// <summary>The step taken when it comes.</summary>
    public required string Next { get; init; }

    /// <summary>
    /// True: the step is over, and its token goes on at <see cref="Next"/>. False, at a boundary only: the step waits
    /// on, and a token more begins there; a time comes once, a signal as often as it is sent.
    /// </summary>
    public bool Interrupting { get; init; } = true;
}

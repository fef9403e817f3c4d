namespace Workflow.Contracts.DeadLetters;

/// <summary>The kinds of work in dead letters.</summary>
public enum DeadLetterKind
{
    /// <summary>An accepted signal whose delivery or receiver failed.</summary>
    Signal,

    /// <summary>A timer of an instance: a delay, a timeout or the next attempt of an activity.</summary>
    Timer,

    /// <summary>A message from one partition of the engine to another.</summary>
    Message,

    /// <summary>The result of an activity.</summary>
    Activity,
}

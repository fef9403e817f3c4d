namespace Workflow.Contracts.DeadLetters;

/// <summary>What kind of work a dead letter holds.</summary>
public enum DeadLetterKind
{
    /// <summary>A signal that was accepted: its delivery, or its receiver, failed.</summary>
    Signal,

    /// <summary>A timer of an instance: a delay, a timeout or the next attempt of an activity.</summary>
    Timer,

    /// <summary>A message from one partition of the engine to another.</summary>
    Message,

    /// <summary>What an activity returned.</summary>
    Activity,
}

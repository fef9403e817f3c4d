namespace Workflow.Contracts.DeadLetters;

/// <summary>A dead letter was replayed: now, or before.</summary>
/// <param name="Applied">
/// Whether the replay had its effect. False: its work had become void by then, e.g. its instance had ended, and it is
/// closed.
/// </param>
/// <param name="Duplicate">True when it had been replayed before; this request had no effect.</param>
public sealed record DeadLetterReplayed(Guid Id, bool Applied, bool Duplicate);

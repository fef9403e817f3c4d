namespace Workflow.Contracts.DeadLetters;

/// <summary>A dead letter was replayed: now, or before.</summary>
/// <param name="Id">Id of the letter.</param>
/// <param name="Applied">Whether the replay had its effect. False: what the letter was for was over by then, e.g. its instance, and it is closed.</param>
/// <param name="Duplicate">True when it had been replayed before; this request had no effect.</param>
public sealed record DeadLetterReplayed(Guid Id, bool Applied, bool Duplicate);

namespace Workflow.Contracts.DeadLetters;

/// <summary>A dead letter was replayed, by this request or an earlier one.</summary>
/// <param name="Applied">
/// Whether the replay had an effect. False if the work was no longer needed, e.g. because its instance had ended.
/// </param>
/// <param name="Duplicate">True if the dead letter was replayed before; this request had no effect.</param>
public sealed record DeadLetterReplayed(Guid Id, bool Applied, bool Duplicate);

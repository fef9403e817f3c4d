namespace Workflow.Contracts.DeadLetters;

/// <summary>A page of dead letters, newest last.</summary>
/// <param name="Next">The <c>after</c> of the next page; null on the last.</param>
public sealed record DeadLetterList(IReadOnlyList<DeadLetter> Items, Guid? Next);

namespace Workflow.Abstractions;

/// <summary>Where a reader begins who asks for a position.</summary>
/// <param name="Position">
/// The position asked for; the beginning of every stream, where the store has never come so far.
/// </param>
/// <param name="Missed">Events that the position asked for is past the end; 0 where the store has come so far.</param>
public readonly record struct EventBegin(EventPosition Position, long Missed = 0);

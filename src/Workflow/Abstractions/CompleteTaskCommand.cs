namespace Workflow.Abstractions;

public sealed record CompleteTaskCommand
{
    public required Guid TaskId { get; init; }

    /// <summary>What came of it; the step's <c>result</c> takes it.</summary>
    public Value Output { get; init; }

    /// <summary>
    /// Repeating a completion with the same key has one effect and the same answer. At most 256 characters.
    /// </summary>
    public string? IdempotencyKey { get; init; }
}

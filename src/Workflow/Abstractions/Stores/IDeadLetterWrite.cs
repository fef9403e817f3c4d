namespace Workflow.Abstractions.Stores;

/// <summary>What a batch writes of a dead letter: a new row, or a change of an open one.</summary>
public interface IDeadLetterWrite
{
    Guid Id { get; }
}

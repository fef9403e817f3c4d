namespace Workflow.Abstractions.Stores;

/// <summary>What a batch writes of a task: a new row, or a change of a stored one.</summary>
public interface ITaskWrite
{
    Guid Id { get; }
}

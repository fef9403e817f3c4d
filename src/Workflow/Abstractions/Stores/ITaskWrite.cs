namespace Workflow.Abstractions.Stores;

/// <summary>A new task, or a change of a stored one.</summary>
public interface ITaskWrite
{
    Guid Id { get; }
}

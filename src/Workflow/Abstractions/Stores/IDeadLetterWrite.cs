namespace Workflow.Abstractions.Stores;

/// <summary>A new dead letter, or a change of an open one.</summary>
public interface IDeadLetterWrite
{
    Guid Id { get; }
}

using Workflow.Contracts.Tasks;

namespace Workflow.Engine.Execution;

/// <summary>What a completion led to.</summary>
/// <param name="Accepted">Null when the task is not open here: the store tells why.</param>
/// <param name="IsDuplicate">True when an earlier request with the same key has completed it.</param>
internal sealed record TaskCompletion(TaskAccepted? Accepted, bool IsDuplicate);

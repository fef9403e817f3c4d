namespace Workflow.Contracts.Tasks;

/// <summary>A page of tasks, newest id last.</summary>
/// <param name="Next">The <c>after</c> of the next page; null on the last.</param>
public sealed record TaskList(IReadOnlyList<TaskView> Items, Guid? Next);

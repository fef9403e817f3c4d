namespace Workflow.Contracts.Instances;

/// <summary>Something that an instance waits for.</summary>
/// <param name="Step">The waiting step.</param>
/// <param name="Kind"><c>signal</c>, <c>delay</c>, <c>activity</c>, <c>task</c> or <c>call</c>.</param>
/// <param name="Name">Name of the signal, the activity or the called definition; the assignee of a task.</param>
/// <param name="CorrelationKey">The key of the awaited signal.</param>
/// <param name="DueAt">When the delay or the timeout is over (UTC).</param>
/// <param name="FailedAttempts">Attempts of the activity that have failed; absent before the first.</param>
/// <param name="NextAttemptAt">When the activity is called again (UTC); absent while it is being called.</param>
/// <param name="Id">The task, or the instance that was called; absent for other kinds.</param>
public sealed record InstanceWait(
    string Step, string Kind, string? Name, string? CorrelationKey, DateTimeOffset? DueAt, int? FailedAttempts = null, DateTimeOffset? NextAttemptAt = null, Guid? Id = null);

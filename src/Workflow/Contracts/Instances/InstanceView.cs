namespace Workflow.Contracts.Instances;

/// <summary>An instance as committed.</summary>
public sealed record InstanceView
{
    public required Guid Id { get; init; }
    public required string Definition { get; init; }
    public required int Version { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>The instance that called this one as a sub-workflow; null if a request or signal started it.</summary>
    public Guid? ParentId { get; init; }

    /// <summary>
    /// The sub-workflows that the instance has called, oldest first, at most 1,000. Null in lists, and if there are
    /// none.
    /// </summary>
    public IReadOnlyList<Guid>? Children { get; init; }

    public required InstanceState State { get; init; }
    public required JsonElement Variables { get; init; }

    /// <summary>What the instance waits for now.</summary>
    public required IReadOnlyList<InstanceWait> Waits { get; init; }

    /// <summary>The steps at which a retry continues; null unless failed.</summary>
    public IReadOnlyList<InstanceToken>? Tokens { get; init; }

    /// <summary>
    /// The steps at which a retry can continue instead, by id. Null in lists, and unless the instance has failed and
    /// can be retried.
    /// </summary>
    public IReadOnlyList<string>? RetrySteps { get; init; }

    /// <summary>Output; null until completed.</summary>
    public JsonElement? Output { get; init; }

    /// <summary>The incident; null unless failed.</summary>
    public InstanceError? Error { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }
}

/// <summary>Something that an instance waits for.</summary>
/// <param name="Kind">
/// <c>signal</c>, <c>delay</c>, <c>activity</c>, <c>task</c>, <c>call</c> or <c>callEach</c>.
/// </param>
/// <param name="Name">Name of the signal, the activity or the called definition; the assignee of a task.</param>
/// <param name="CorrelationKey">The key of the awaited signal.</param>
/// <param name="DueAt">When the delay or the timeout is over (UTC).</param>
/// <param name="FailedAttempts">Attempts of the activity that have failed; absent before the first.</param>
/// <param name="NextAttemptAt">When the activity is called again (UTC); absent while it is being called.</param>
/// <param name="Id">The task, or the instance that was called; absent for other kinds.</param>
/// <param name="Ended">
/// True if the wait has ended while the instance is suspended: the instance continues here when it is resumed.
/// </param>
/// <param name="LastError">
/// Why the last attempt of the activity failed, or the error that ended the wait. Absent otherwise.
/// </param>
public sealed record InstanceWait(
    string Step, string Kind, string? Name, string? CorrelationKey, DateTimeOffset? DueAt, int? FailedAttempts = null,
    DateTimeOffset? NextAttemptAt = null, Guid? Id = null, bool? Ended = null, WaitError? LastError = null);

/// <summary>The error of a wait.</summary>
/// <param name="Attempt">The attempt of the activity that failed, from 1; absent for a sub-workflow.</param>
/// <param name="Code">The error code that the activity or the sub-workflow gave; absent if it gave none.</param>
public sealed record WaitError(string Message, int? Attempt = null, string? Code = null);

/// <summary>A step at which a failed instance stopped.</summary>
/// <param name="Scope">The fork around the step: 0 for none, the same number for all branches of one fork.</param>
/// <param name="FailedAttempts">Failed attempts of the step's activity; absent if there were none.</param>
public sealed record InstanceToken(string Step, int Scope, int? FailedAttempts = null);

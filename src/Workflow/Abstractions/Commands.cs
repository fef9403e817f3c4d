using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions;

/// <summary>Commands without an idempotency key.</summary>
public static class WorkflowEngineCommands
{
    public static Task<InstanceCancellation> CancelAsync(
        this IWorkflowEngine engine, Guid id, CancellationToken cancellationToken = default) =>
        engine.CancelAsync(id, idempotencyKey: null, cancellationToken);

    public static Task<InstanceChange> SuspendAsync(
        this IWorkflowEngine engine, Guid id, CancellationToken cancellationToken = default) =>
        engine.SuspendAsync(id, idempotencyKey: null, cancellationToken);

    public static Task<InstanceChange> ResumeAsync(
        this IWorkflowEngine engine, Guid id, CancellationToken cancellationToken = default) =>
        engine.ResumeAsync(id, idempotencyKey: null, cancellationToken);

    public static Task<TaskAccepted> AssignTaskAsync(
        this IWorkflowEngine engine, Guid id, string assignee, CancellationToken cancellationToken = default) =>
        engine.AssignTaskAsync(id, assignee, idempotencyKey: null, cancellationToken);

    public static Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        this IWorkflowEngine engine, Guid id, CancellationToken cancellationToken = default) =>
        engine.ReplayDeadLetterAsync(id, idempotencyKey: null, cancellationToken);
}

/// <summary>Asks for a start.</summary>
public sealed record StartCommand
{
    public required string Definition { get; init; }

    /// <summary>Version; the newest when null.</summary>
    public int? Version { get; init; }

    /// <summary>The first variables: a context, or null for none.</summary>
    public Value Input { get; init; }

    /// <summary>A key of the caller's, at most 512 characters; it decides the partition.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>Repeating a start with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}

/// <summary>Asks to send a signal. Exactly one of <see cref="CorrelationKey"/> and <see cref="InstanceId"/> is set.</summary>
public sealed record SignalCommand
{
    public required string Name { get; init; }

    /// <summary>The correlation key, at most 512 characters.</summary>
    public string? CorrelationKey { get; init; }

    public Guid? InstanceId { get; init; }
    public Value Payload { get; init; }

    /// <summary>When to deliver (UTC); only with a correlation key. Null or past: at once.</summary>
    public DateTimeOffset? DueAt { get; init; }

    /// <summary>Repeating a signal with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}

/// <summary>Asks a failed instance to go on where it stopped.</summary>
public sealed record RetryCommand
{
    public required Guid InstanceId { get; init; }

    /// <summary>Set before it goes on: a context, or null for none.</summary>
    public Value Variables { get; init; }

    /// <summary>Repeating a retry with the same key has one effect. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}

/// <summary>Asks to complete a task.</summary>
public sealed record CompleteTaskCommand
{
    public required Guid TaskId { get; init; }

    /// <summary>What came of it; the step's <c>result</c> takes it.</summary>
    public Value Output { get; init; }

    /// <summary>Repeating a completion with the same key has one effect and the same answer. At most 256 characters.</summary>
    public string? IdempotencyKey { get; init; }
}

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

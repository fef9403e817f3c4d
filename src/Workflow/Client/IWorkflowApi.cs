using Workflow.Contracts;
using Workflow.Contracts.Bulk;
using Workflow.Contracts.Cluster;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace Workflow.Client;

/// <summary>
/// The routes of the web service, one method each; an answer that is an error is an <see cref="ApiException"/>.
/// <see cref="WorkflowClient"/> is the same with typed errors. Refit calls it.
/// </summary>
public interface IWorkflowApi
{
    [Post("/definitions")]
    Task<DefinitionInfo> RegisterDefinitionAsync(
        [Body] HttpContent definition, [Query] string? unknown = null, CancellationToken cancellationToken = default);

    [Post("/definitions/validate")]
    Task<DefinitionValidation> ValidateDefinitionAsync(
        [Body] HttpContent definition, [Query] string? unknown = null, CancellationToken cancellationToken = default);

    [Get("/definitions")]
    Task<IReadOnlyList<DefinitionInfo>> ListDefinitionsAsync(CancellationToken cancellationToken = default);

    [Get("/definitions/{name}")]
    Task<string> GetDefinitionAsync(string name, CancellationToken cancellationToken = default);

    [Get("/definitions/{name}/versions/{version}")]
    Task<string> GetDefinitionVersionAsync(string name, int version, CancellationToken cancellationToken = default);

    [Post("/instances")]
    Task<InstanceStarted> StartAsync(
        [Body] StartInstance start, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Get("/instances")]
    Task<InstanceList> ListInstancesAsync(
        [Query] string? definition = null,
        [Query] string? state = null,
        [Query] string? correlationKey = null,
        [Query] Guid? after = null,
        [Query] int? limit = null,
        [Query] string? startedFrom = null,
        [Query] string? startedTo = null,
        [Query] string? definitionPrefix = null,
        [Query] string? correlationKeyPrefix = null,
        [Query] string? idPrefix = null,
        CancellationToken cancellationToken = default);

    [Get("/instances/{id}")]
    Task<InstanceView> GetInstanceAsync(Guid id, CancellationToken cancellationToken = default);

    [Get("/instances/{id}/history")]
    Task<IReadOnlyList<HistoryEntry>> GetHistoryAsync(Guid id, CancellationToken cancellationToken = default);

    [Post("/signals")]
    Task<SignalAccepted> SignalAsync(
        [Body] SendSignal signal, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/{id}/signals")]
    Task<SignalAccepted> SignalInstanceAsync(
        Guid id,
        [Body] SendInstanceSignal signal,
        [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/{id}/cancel")]
    Task<InstanceCancellation> CancelAsync(
        Guid id, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/{id}/suspend")]
    Task<InstanceChange> SuspendAsync(
        Guid id, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/{id}/resume")]
    Task<InstanceChange> ResumeAsync(
        Guid id, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/{id}/retry")]
    Task<InstanceChange> RetryAsync(
        Guid id,
        [Body] RetryInstance retry,
        [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/retry")]
    Task<BulkReport> RetryManyAsync(
        [Body] BulkRequest request, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/instances/cancel")]
    Task<BulkReport> CancelManyAsync(
        [Body] BulkRequest request, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Get("/tasks")]
    Task<TaskList> ListTasksAsync(
        [Query] string? assignee = null,
        [Query] string? group = null,
        [Query] string? state = null,
        [Query] Guid? after = null,
        [Query] int? limit = null,
        CancellationToken cancellationToken = default);

    [Get("/tasks/{id}")]
    Task<TaskView> GetTaskAsync(Guid id, CancellationToken cancellationToken = default);

    [Post("/tasks/{id}/assign")]
    Task<TaskAccepted> AssignTaskAsync(
        Guid id,
        [Body] AssignTask assignment,
        [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/tasks/{id}/complete")]
    Task<TaskAccepted> CompleteTaskAsync(
        Guid id,
        [Body] CompleteTask completion,
        [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Get("/dead-letters")]
    Task<DeadLetterList> ListDeadLettersAsync(
        [Query] string? state = null,
        [Query] string? kind = null,
        [Query] Guid? instance = null,
        [Query] Guid? after = null,
        [Query] int? limit = null,
        CancellationToken cancellationToken = default);

    [Post("/dead-letters/{id}/replay")]
    Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        Guid id, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Post("/dead-letters/replay")]
    Task<BulkReport> ReplayManyAsync(
        [Body] BulkRequest request, [Header(ContractsHttp.IdempotencyKeyHeader)] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    [Get("/health/ready")]
    Task<string> ReadyAsync(CancellationToken cancellationToken = default);

    [Get("/cluster")]
    Task<ClusterInfo> GetClusterAsync(CancellationToken cancellationToken = default);

    [Get("/metrics")]
    Task<string> GetMetricsAsync(CancellationToken cancellationToken = default);
}

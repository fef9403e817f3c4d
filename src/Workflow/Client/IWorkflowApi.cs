using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace Workflow.Client;

/// <summary>
/// The routes of the web service, one method each; an answer that is an error is an <see cref="ApiException"/>.
/// <see cref="WorkflowClient"/> is the same with typed errors. Only what RestEase and Refit understand alike: the full feed compiles it for
/// Refit.
/// </summary>
public interface IWorkflowApi
{
    [Post("/definitions")]
    Task<DefinitionInfo> RegisterDefinitionAsync([Body] HttpContent definition, CancellationToken cancellationToken = default);

    /// <summary>Checks a definition.</summary>
    [Post("/definitions/validate")]
    Task<DefinitionValidation> ValidateDefinitionAsync([Body] HttpContent definition, CancellationToken cancellationToken = default);

    [Get("/definitions")]
    Task<IReadOnlyList<DefinitionInfo>> ListDefinitionsAsync(CancellationToken cancellationToken = default);

    /// <summary>The canonical JSON of the newest version.</summary>
    [Get("/definitions/{name}")]
    Task<string> GetDefinitionAsync([Path] string name, CancellationToken cancellationToken = default);

    /// <summary>The canonical JSON of a version.</summary>
    [Get("/definitions/{name}/versions/{version}")]
    Task<string> GetDefinitionVersionAsync([Path] string name, [Path] int version, CancellationToken cancellationToken = default);

    /// <summary>Starts an instance; returns once the start is durable.</summary>
    [Post("/instances")]
    Task<InstanceStarted> StartAsync([Body] StartInstance start, [Header("Idempotency-Key")] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    /// <summary>A page of instances.</summary>
    [Get("/instances")]
    Task<InstanceList> ListInstancesAsync(
        [Query] string? definition = null,
        [Query] string? state = null,
        [Query] string? correlationKey = null,
        [Query] Guid? after = null,
        [Query] int? limit = null,
        CancellationToken cancellationToken = default);

    [Get("/instances/{id}")]
    Task<InstanceView> GetInstanceAsync([Path] Guid id, CancellationToken cancellationToken = default);

    /// <summary>The history of an instance.</summary>
    [Get("/instances/{id}/history")]
    Task<IReadOnlyList<HistoryEntry>> GetHistoryAsync([Path] Guid id, CancellationToken cancellationToken = default);

    /// <summary>Sends a signal by correlation key; returns once it is durable.</summary>
    [Post("/signals")]
    Task<SignalAccepted> SignalAsync(
        [Body] SendSignal signal, [Header("Idempotency-Key")] string? idempotencyKey = null, CancellationToken cancellationToken = default);

    /// <summary>Sends a signal to an instance; returns once it is durable.</summary>
    [Post("/instances/{id}/signals")]
    Task<SignalAccepted> SignalInstanceAsync(
        [Path] Guid id,
        [Body] SendInstanceSignal signal,
        [Header("Idempotency-Key")] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    /// <summary>Cancels an instance; returns once that is durable.</summary>
    [Post("/instances/{id}/cancel")]
    Task<InstanceCancellation> CancelAsync([Path] Guid id, CancellationToken cancellationToken = default);

    /// <summary>A page of tasks.</summary>
    [Get("/tasks")]
    Task<TaskList> ListTasksAsync(
        [Query] string? assignee = null,
        [Query] string? group = null,
        [Query] string? state = null,
        [Query] Guid? after = null,
        [Query] int? limit = null,
        CancellationToken cancellationToken = default);

    [Get("/tasks/{id}")]
    Task<TaskView> GetTaskAsync([Path] Guid id, CancellationToken cancellationToken = default);

    /// <summary>Gives a task to somebody; returns once that is durable.</summary>
    [Post("/tasks/{id}/assign")]
    Task<TaskAccepted> AssignTaskAsync([Path] Guid id, [Body] AssignTask assignment, CancellationToken cancellationToken = default);

    /// <summary>Completes a task; returns once that is durable.</summary>
    [Post("/tasks/{id}/complete")]
    Task<TaskAccepted> CompleteTaskAsync(
        [Path] Guid id,
        [Body] CompleteTask completion,
        [Header("Idempotency-Key")] string? idempotencyKey = null,
        CancellationToken cancellationToken = default);

    /// <summary>A page of dead letters.</summary>
    [Get("/dead-letters")]
    Task<DeadLetterList> ListDeadLettersAsync(
        [Query] string? state = null,
        [Query] string? kind = null,
        [Query] Guid? instance = null,
        [Query] Guid? after = null,
        [Query] int? limit = null,
        CancellationToken cancellationToken = default);

    /// <summary>Applies a dead letter; returns once that is durable.</summary>
    [Post("/dead-letters/{id}/replay")]
    Task<DeadLetterReplayed> ReplayDeadLetterAsync([Path] Guid id, CancellationToken cancellationToken = default);

    /// <summary>Succeeds while the service can serve.</summary>
    [Get("/health/ready")]
    Task<string> ReadyAsync(CancellationToken cancellationToken = default);

    /// <summary>The counters as Prometheus text.</summary>
    [Get("/metrics")]
    Task<string> GetMetricsAsync(CancellationToken cancellationToken = default);
}

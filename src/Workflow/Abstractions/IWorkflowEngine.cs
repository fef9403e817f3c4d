using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions;

/// <summary>What a host sees of the engine. Thread-safe; every acknowledgement follows its durable commit.</summary>
public interface IWorkflowEngine
{
    EngineStatistics Statistics { get; }

    /// <summary>Each lane of this node, in their order. Nothing of it is asked of a lane's thread.</summary>
    IReadOnlyList<LaneStatistics> LaneStatistics { get; }

    /// <summary>The position after the newest committed event: who reads from here misses nothing that happens from now on.</summary>
    EventPosition EndOfEvents { get; }

    /// <summary>Registers a definition. The same content again changes nothing.</summary>
    /// <returns>The definition, and whether it was new.</returns>
    /// <exception cref="Exceptions.DefinitionInvalidException">It has errors.</exception>
    /// <exception cref="Exceptions.DefinitionConflictException">Name and version are taken by other content.</exception>
    Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        ReadOnlyMemory<byte> json, CancellationToken cancellationToken = default);

    /// <summary>Checks a definition without registering it.</summary>
    DefinitionValidation ValidateDefinition(ReadOnlyMemory<byte> json);

    /// <summary>Every registered definition, by name and version.</summary>
    IReadOnlyList<DefinitionInfo> ListDefinitions();

    /// <summary>The canonical JSON of a definition; the newest when no version is given.</summary>
    /// <exception cref="Exceptions.DefinitionNotFoundException">There is none.</exception>
    string GetDefinition(string name, int? version = null);

    /// <summary>Starts an instance; returns once the start is durable.</summary>
    Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken = default);

    /// <summary>Sends a signal by key or to an instance; returns once it is durable.</summary>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceFinishedException">The instance is over.</exception>
    Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken = default);

    /// <summary>Cancels an instance, its open tasks and sub-workflows, durably in one commit. Cancelling again changes nothing.</summary>
    /// <param name="idempotencyKey">Repeating it with the same key has one effect. At most 256 characters; null for none.</param>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceFinishedException">The instance is over.</exception>
    Task<InstanceCancellation> CancelAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Suspends an instance; returns once that is durable. What it waits for may come and is kept: signals, results of activities, tasks
    /// and sub-workflows. Timers that fall due wait. The sub-workflows it has called go on. Suspending again changes nothing.
    /// </summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect, also when the instance was resumed meanwhile. At most 256 characters; null for none.
    /// </param>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceStateException">The instance is over.</exception>
    Task<InstanceChange> SuspendAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Lets a suspended instance go on: first with what came meanwhile, in its order, then with the timers that are due. Returns once that
    /// is durable. An instance that is live and not suspended is left as it is.
    /// </summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect, also when the instance was suspended again. At most 256 characters; null for none.
    /// </param>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceStateException">The instance is over.</exception>
    Task<InstanceChange> ResumeAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Lets a failed instance go on where it stopped; returns once that is durable. The step that failed begins again, as do the tasks,
    /// sub-workflows and activities that the failure has ended; signals and due times are waited for as before. Of several requests at once
    /// one has an effect.
    /// </summary>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceStateException">It has not failed, or was called by another: that one is retried.</exception>
    Task<InstanceChange> RetryAsync(RetryCommand command, CancellationToken cancellationToken = default);

    /// <summary>A task as committed; null when there is none.</summary>
    Task<TaskView?> FindTaskAsync(Guid id, CancellationToken cancellationToken = default);

    Task<TaskList> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken = default);

    /// <summary>Gives an open task to somebody; returns once it is durable. The same again changes nothing.</summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect, also when somebody else got the task meanwhile. At most 256 characters; null for
    /// none.
    /// </param>
    /// <exception cref="Exceptions.TaskNotFoundException">There is no such task.</exception>
    /// <exception cref="Exceptions.TaskClosedException">It is not open any more.</exception>
    Task<TaskAccepted> AssignTaskAsync(
        Guid id, string assignee, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>Completes an open task, and lets its instance go on; returns once it is durable.</summary>
    /// <exception cref="Exceptions.TaskNotFoundException">There is no such task.</exception>
    /// <exception cref="Exceptions.TaskClosedException">It is not open any more.</exception>
    Task<TaskAccepted> CompleteTaskAsync(CompleteTaskCommand command, CancellationToken cancellationToken = default);

    /// <summary>An instance as committed; null when there is none.</summary>
    Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default);

    Task<InstanceList> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken = default);

    /// <summary>The history of an instance, oldest first; null when there is none.</summary>
    Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken = default);

    Task<DeadLetterList> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken = default);

    /// <summary>Applies a dead letter; returns once that is durable. However often it is asked for, it has one effect.</summary>
    /// <param name="idempotencyKey">Refused for another dead letter. At most 256 characters; null for none.</param>
    /// <exception cref="Exceptions.DeadLetterNotFoundException">There is no such dead letter.</exception>
    /// <exception cref="Exceptions.DeadLetterRefusedException">It cannot be applied this time either; it stays open with one attempt
    /// more.</exception>
    Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Events after a position, then those to come, without end. At least once; in order within a stream.
    /// A null position begins at <see cref="EndOfEvents"/>; <see cref="EventPosition.Start"/> begins with the oldest that is kept.
    /// </summary>
    IAsyncEnumerable<PositionedEvent> ReadEventsAsync(EventPosition? after, CancellationToken cancellationToken = default);

    /// <summary>Completes when no command is pending, nothing is being flushed and every event was handed to its subscribers.</summary>
    Task WaitForIdleAsync(CancellationToken cancellationToken = default);
}

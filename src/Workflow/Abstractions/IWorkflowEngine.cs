using Workflow.Contracts.Cluster;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions;

/// <summary>
/// The engine, as a host uses it. Thread-safe. Every acknowledgement follows the durable commit of its command.
/// </summary>
public interface IWorkflowEngine
{
    EngineStatistics Statistics { get; }

    /// <summary>The lanes of this node, by index. Reading them does not wait for a lane.</summary>
    IReadOnlyList<LaneStatistics> LaneStatistics { get; }

    /// <summary>
    /// The position after the newest committed event. A reader that begins here misses no later event.
    /// </summary>
    EventPosition EndOfEvents { get; }

    /// <summary>Who has which lane, as of the last renewal of this node's leases.</summary>
    ClusterInfo DescribeCluster();

    /// <summary>Registers a definition. The same content again changes nothing.</summary>
    /// <returns>The definition, and whether it was new.</returns>
    /// <exception cref="Exceptions.DefinitionInvalidException">It has errors.</exception>
    /// <exception cref="Exceptions.DefinitionConflictException">
    /// Name and version are registered with other content.
    /// </exception>
    Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        ReadOnlyMemory<byte> json, CancellationToken cancellationToken = default);

    /// <summary>Checks a definition without registering it.</summary>
    DefinitionValidation ValidateDefinition(ReadOnlyMemory<byte> json);

    /// <summary>Every registered definition, by name and version.</summary>
    IReadOnlyList<DefinitionInfo> ListDefinitions();

    /// <summary>The canonical JSON of a definition; the newest version if <paramref name="version"/> is null.</summary>
    /// <exception cref="Exceptions.DefinitionNotFoundException">
    /// No such definition or version is registered.
    /// </exception>
    string GetDefinition(string name, int? version = null);

    /// <summary>Starts an instance; returns once the start is durable.</summary>
    Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken = default);

    /// <summary>Sends a signal by key or to an instance; returns once it is durable.</summary>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceFinishedException">The instance is over.</exception>
    /// <exception cref="Exceptions.SignalUnreceivedException">
    /// No step and no receiver takes signals of this name, and the engine is configured to refuse them.
    /// </exception>
    Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken = default);

    /// <summary>
    /// Cancels an instance, its open tasks and sub-workflows, durably in one commit. Cancelling again changes nothing.
    /// </summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect. At most 256 characters; null for none.
    /// </param>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceFinishedException">The instance is over.</exception>
    Task<InstanceCancellation> CancelAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Suspends an instance; returns once that is durable. Signals and results of activities, tasks and sub-workflows
    /// that arrive meanwhile are kept. Timers that fall due wait. Sub-workflows that the instance has called continue.
    /// Suspending again changes nothing.
    /// </summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect, also when the instance was resumed meanwhile. At most 256
    /// characters; null for none.
    /// </param>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceStateException">The instance is over.</exception>
    Task<InstanceChange> SuspendAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Resumes a suspended instance: first with what arrived meanwhile, in order of arrival, then with the timers that
    /// are due. Returns once that is durable. A live instance that is not suspended does not change.
    /// </summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect, also when the instance was suspended again. At most 256
    /// characters; null for none.
    /// </param>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InstanceStateException">The instance is over.</exception>
    Task<InstanceChange> ResumeAsync(Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Resumes a failed instance where it stopped; returns once that is durable. The failed step begins again, as do
    /// the tasks, sub-workflows and activities that the failure ended; waits for signals and due times continue. Of
    /// several simultaneous requests one has an effect.
    /// </summary>
    /// <exception cref="Exceptions.InstanceNotFoundException">There is no such instance.</exception>
    /// <exception cref="Exceptions.InvalidCommandException">
    /// The failed token cannot continue at <see cref="RetryCommand.Step"/>; the message names the steps that are
    /// possible.
    /// </exception>
    /// <exception cref="Exceptions.InstanceStateException">
    /// The instance has not failed, or another instance called it: retry that one.
    /// </exception>
    Task<InstanceChange> RetryAsync(RetryCommand command, CancellationToken cancellationToken = default);

    /// <summary>The committed state of a task; null if there is no such task.</summary>
    Task<TaskView?> FindTaskAsync(Guid id, CancellationToken cancellationToken = default);

    Task<TaskList> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken = default);

    /// <summary>Counts the tasks that match among the first of the list, and reads no others.</summary>
    /// <param name="most">The maximum number of rows to read, from 1.</param>
    Task<ListCount> CountTasksAsync(TaskQuery query, int most, CancellationToken cancellationToken = default);

    /// <summary>
    /// Assigns an open task; returns once that is durable. Repeating the same assignment changes nothing.
    /// </summary>
    /// <param name="idempotencyKey">
    /// Repeating it with the same key has one effect, also if the task was assigned to somebody else meanwhile. At most
    /// 256 characters; null for none.
    /// </param>
    /// <exception cref="Exceptions.TaskNotFoundException">There is no such task.</exception>
    /// <exception cref="Exceptions.TaskClosedException">The task is no longer open.</exception>
    Task<TaskAccepted> AssignTaskAsync(
        Guid id, string assignee, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>Completes an open task and continues its instance; returns once that is durable.</summary>
    /// <exception cref="Exceptions.TaskNotFoundException">There is no such task.</exception>
    /// <exception cref="Exceptions.TaskClosedException">The task is no longer open.</exception>
    Task<TaskAccepted> CompleteTaskAsync(CompleteTaskCommand command, CancellationToken cancellationToken = default);

    /// <summary>The committed state of an instance; null if there is no such instance.</summary>
    Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default);

    Task<InstanceList> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken = default);

    /// <summary>Counts the instances that match among the first of the list, and reads no others.</summary>
    /// <param name="most">The maximum number of rows to read, from 1.</param>
    Task<ListCount> CountInstancesAsync(InstanceQuery query, int most, CancellationToken cancellationToken = default);

    /// <summary>The history of an instance, oldest first; null if there is no such instance.</summary>
    Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken = default);

    Task<DeadLetterList> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken = default);

    /// <summary>Counts the dead letters that match among the first of the list, and reads no others.</summary>
    /// <param name="most">The maximum number of rows to read, from 1.</param>
    Task<ListCount> CountDeadLettersAsync(
        DeadLetterQuery query, int most, CancellationToken cancellationToken = default);

    /// <summary>
    /// Applies a dead letter; returns once that is durable. Repeating the call has no further effect.
    /// </summary>
    /// <param name="idempotencyKey">Refused for another dead letter. At most 256 characters; null for none.</param>
    /// <exception cref="Exceptions.DeadLetterNotFoundException">There is no such dead letter.</exception>
    /// <exception cref="Exceptions.DeadLetterRefusedException">
    /// The dead letter still cannot be applied. It stays open with one more attempt.
    /// </exception>
    Task<DeadLetterReplayed> ReplayDeadLetterAsync(
        Guid id, string? idempotencyKey, CancellationToken cancellationToken = default);

    /// <summary>
    /// Where a reader of this position begins. A position past the end belongs to another history: the store was
    /// emptied, replaced or restored since. Its reader begins with the oldest event that is kept.
    /// </summary>
    ValueTask<EventBegin> LocateEventsAsync(EventPosition asked, CancellationToken cancellationToken = default);

    /// <summary>
    /// Events after a position, and then new events, without end. Delivered at least once, in order within a stream. A
    /// null position begins at <see cref="EndOfEvents"/>; <see cref="EventPosition.Start"/> begins with the oldest that
    /// is kept, and so does a position that <see cref="LocateEventsAsync"/> does not find.
    /// </summary>
    IAsyncEnumerable<PositionedEvent> ReadEventsAsync(
        EventPosition? after, CancellationToken cancellationToken = default);

    /// <summary>
    /// Completes when no command is pending, no flush is in progress and every event was delivered to its subscribers.
    /// </summary>
    Task WaitForIdleAsync(CancellationToken cancellationToken = default);
}

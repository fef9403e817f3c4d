using Workflow.Abstractions;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;
using Workflow.Contracts.Tasks;

namespace IntegrationTests.WebService;

/// <summary>Fails as the test asks: for errors that a healthy engine does not show on request.</summary>
internal sealed class ScriptedEngine(Func<Exception> failure) : IWorkflowEngine
{
    public EngineStatistics Statistics => throw failure();
    public EventPosition EndOfEvents => throw failure();

    public Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        ReadOnlyMemory<byte> json, CancellationToken cancellationToken = default) =>
        Task.FromException<(DefinitionInfo, bool)>(failure());

    public DefinitionValidation ValidateDefinition(ReadOnlyMemory<byte> json) => throw failure();
    public IReadOnlyList<DefinitionInfo> ListDefinitions() => throw failure();
    public string GetDefinition(string name, int? version = null) => throw failure();

    public Task<InstanceStarted> StartAsync(StartCommand command, CancellationToken cancellationToken = default) =>
        Task.FromException<InstanceStarted>(failure());

    public Task<SignalAccepted> SignalAsync(SignalCommand command, CancellationToken cancellationToken = default) =>
        Task.FromException<SignalAccepted>(failure());

    public Task<InstanceCancellation> CancelAsync(Guid id, CancellationToken cancellationToken = default) =>
        Task.FromException<InstanceCancellation>(failure());

    public Task<TaskView?> FindTaskAsync(Guid id, CancellationToken cancellationToken = default) =>
        Task.FromException<TaskView?>(failure());

    public Task<TaskList> ListTasksAsync(TaskQuery query, CancellationToken cancellationToken = default) =>
        Task.FromException<TaskList>(failure());

    public Task<TaskAccepted> AssignTaskAsync(Guid id, string assignee, CancellationToken cancellationToken = default) =>
        Task.FromException<TaskAccepted>(failure());

    public Task<TaskAccepted> CompleteTaskAsync(CompleteTaskCommand command, CancellationToken cancellationToken = default) =>
        Task.FromException<TaskAccepted>(failure());

    public Task<InstanceView?> FindInstanceAsync(Guid id, CancellationToken cancellationToken = default) =>
        Task.FromException<InstanceView?>(failure());

    public Task<InstanceList> ListInstancesAsync(InstanceQuery query, CancellationToken cancellationToken = default) =>
        Task.FromException<InstanceList>(failure());

    public Task<IReadOnlyList<HistoryEntry>?> FindHistoryAsync(Guid id, CancellationToken cancellationToken = default) =>
        Task.FromException<IReadOnlyList<HistoryEntry>?>(failure());

    public Task<DeadLetterList> ListDeadLettersAsync(DeadLetterQuery query, CancellationToken cancellationToken = default) =>
        Task.FromException<DeadLetterList>(failure());

    public Task<DeadLetterReplayed> ReplayDeadLetterAsync(Guid id, CancellationToken cancellationToken = default) =>
        Task.FromException<DeadLetterReplayed>(failure());

    public IAsyncEnumerable<PositionedEvent> ReadEventsAsync(EventPosition? after, CancellationToken cancellationToken = default) =>
        throw failure();

    public Task WaitForIdleAsync(CancellationToken cancellationToken = default) => Task.FromException(failure());
}

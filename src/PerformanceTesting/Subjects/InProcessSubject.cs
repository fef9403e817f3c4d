using Microsoft.Extensions.Logging.Abstractions;
using PerformanceTesting.Backends.RabbitMq;
using Workflow.Abstractions;
using Workflow.Abstractions.Events;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;
using Workflow.Engine;
using Workflow.Engine.Configuration;
using Stopwatch = System.Diagnostics.Stopwatch;

namespace PerformanceTesting.Subjects;

/// <summary>
/// An engine in the test process; its events come over MassTransit's in-memory transport, or over a broker.
/// </summary>
public sealed class InProcessSubject : WorkflowSubject
{
    private WorkflowEngine _engine = null!;
    private EventBus _bus = null!;

    private InProcessSubject()
    {
    }

    public override HostingKind Hosting => HostingKind.InProcess;

    public override int ProcessId => Environment.ProcessId;

    /// <summary>Starts bus, consumers and engine, in that order.</summary>
    public static async Task<InProcessSubject> StartAsync(
        string profile,
        IWorkflowStore store,
        int? lanes,
        IReadOnlyList<string> receivers,
        CancellationToken cancellationToken,
        TimeSpan? outageTolerance = null,
        INotifier? notifier = null,
        RabbitMqServer? broker = null,
        ResidencyOptions? residency = null)
    {
        var subject = new InProcessSubject { Profile = profile };
        subject.Observer.Consumers = broker is null ? InMemoryEventBus.ConcurrentEvents : 1;
        subject._bus = broker is null
            ? await InMemoryEventBus.StartAsync(subject.Observer.Observe, cancellationToken)
            : subject.Over(await BrokerEventBus.StartAsync(broker, subject.Observer.Observe, cancellationToken));
        var options = new WorkflowEngineOptions
        {
            Activities =
                [new() { Name = "echo", Inline = true, InvokeAsync = (input, _) => ValueTask.FromResult(input) }],
            SignalReceivers = [.. receivers.Select(name => new SignalReceiver { Name = name })],
            Publishers = [subject._bus.Publisher],
            Cluster = new() { Notifier = notifier ?? new NoNotifier() },
            OutageTolerance = outageTolerance ?? new WorkflowEngineOptions().OutageTolerance,
            Residency = residency ?? new(),
        };
        subject._engine = new WorkflowEngine(
            store, lanes is { } count ? options with { Lanes = count } : options, TimeProvider.System,
            NullLoggerFactory.Instance);
        await subject._engine.StartAsync(cancellationToken);
        return subject;
    }

    public override async Task<string> RegisterAsync(string json, CancellationToken cancellationToken) =>
        (await _engine.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(json), cancellationToken)).Definition.ContentHash;

    protected override Task<IResponse> StartOnceAsync(
        string definition, string correlationKey, JsonElement input, CancellationToken cancellationToken) =>
        DoneAsync(_engine.StartAsync(
            new StartCommand { Definition = definition, CorrelationKey = correlationKey, Input = Value.From(input) },
            cancellationToken));

    public override Task<IResponse> SignalAsync(
        string name, string correlationKey, JsonElement payload, DateTimeOffset? dueAt,
        CancellationToken cancellationToken) =>
        DoneAsync(_engine.SignalAsync(
            new SignalCommand
                { Name = name, CorrelationKey = correlationKey, Payload = Value.From(payload), DueAt = dueAt },
            cancellationToken));

    public override Task<IResponse> AssignTaskAsync(Guid task, string assignee, CancellationToken cancellationToken) =>
        DoneAsync(_engine.AssignTaskAsync(task, assignee, cancellationToken));

    public override Task<IResponse> CompleteTaskAsync(
        Guid task, JsonElement output, CancellationToken cancellationToken) =>
        DoneAsync(_engine.CompleteTaskAsync(new() { TaskId = task, Output = Value.From(output) }, cancellationToken));

    public override Task<TaskList> ListOpenTasksAsync(Guid? after, CancellationToken cancellationToken) =>
        _engine.ListTasksAsync(new() { State = TaskState.Open, After = after, Limit = PageSize }, cancellationToken);

    public override async Task<long> WaitForIdleAsync(CancellationToken cancellationToken)
    {
        await _engine.WaitForIdleAsync(cancellationToken);
        return Stopwatch.GetTimestamp();
    }

    public override Task<EngineStatistics> CountAsync(CancellationToken cancellationToken)
    {
        var counts = _engine.Statistics;
        return Task.FromResult(counts with { InFlightSeconds = counts.InFlightSeconds + _bus.TransitSeconds });
    }

    public override Task<InstanceList> ListAsync(
        InstanceState state, Guid? after, CancellationToken cancellationToken) =>
        _engine.ListInstancesAsync(new() { State = state, After = after, Limit = PageSize }, cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        await _engine.DisposeAsync();
        await _bus.DisposeAsync();
        Observer.Dispose();
    }

    private static async Task<IResponse> DoneAsync(Task command)
    {
        await command;
        return Response.Ok();
    }
}

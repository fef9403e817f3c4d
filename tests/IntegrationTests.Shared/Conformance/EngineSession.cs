using Foundation;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Contracts.Definitions;
using Workflow.Contracts.Signals;
using Workflow.Engine.Instances;

namespace IntegrationTests.Shared.Conformance;

/// <summary>One life of an engine over a store, with short forms of what tests say often.</summary>
public sealed class EngineSession : IAsyncDisposable
{
    /// <summary>Longer than tests move a clock on, and than a timer may be set for.</summary>
    private static readonly TimeSpan Forever = TimeSpan.FromDays(40);

    private bool _disposed;

    private EngineSession(WorkflowEngine engine, EventPosition after)
    {
        Engine = engine;
        Events = new(engine, after);
    }

    public WorkflowEngine Engine { get; }

    /// <summary>Everything the engine published since the first position of the session.</summary>
    public EventTail Events { get; }

    public static async Task<EngineSession> StartAsync(
        IWorkflowStore store, WorkflowEngineOptions options, TimeProvider? time = null, EventPosition? after = null)
    {
        // A store answers in real time, so advancing the test's clock must not look like an outage.
        var saysNothing = time is ManualTime && options.OutageTolerance == new WorkflowEngineOptions().OutageTolerance;
        options = saysNothing ? options with { OutageTolerance = Forever } : options;
        var engine = new WorkflowEngine(store, options, time ?? TimeProvider.System, NullLoggerFactory.Instance);
        return new(await engine.PreparedAsync(one => one.StartAsync(Cancel)), after ?? EventPosition.Start);
    }

    public Task<(DefinitionInfo Definition, bool Created)> RegisterAsync(string json) =>
        InTime(Engine.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(json), Cancel));

    public Task<InstanceStarted> StartAsync(
        string definition,
        string? input = null,
        string? key = null,
        string? idempotencyKey = null,
        int? version = null) =>
        InTime(Engine.StartAsync(
            new()
            {
                Definition = definition,
                Version = version,
                Input = Parsed(input),
                CorrelationKey = key,
                IdempotencyKey = idempotencyKey,
            },
            Cancel));

    public Task<SignalAccepted> SignalAsync(
        string name, string key, string? payload = null, string? idempotencyKey = null, DateTimeOffset? dueAt = null) =>
        InTime(Engine.SignalAsync(
            new()
            {
                Name = name, CorrelationKey = key, Payload = Parsed(payload),
                IdempotencyKey = idempotencyKey, DueAt = dueAt,
            },
            Cancel));

    public Task<SignalAccepted> SignalAsync(
        string name, Guid instance, string? payload = null, string? idempotencyKey = null) =>
        InTime(Engine.SignalAsync(
            new() { Name = name, InstanceId = instance, Payload = Parsed(payload), IdempotencyKey = idempotencyKey },
            Cancel));

    public Task<InstanceChange> SuspendAsync(Guid id) => InTime(Engine.SuspendAsync(id, Cancel));

    public Task<InstanceChange> ResumeAsync(Guid id) => InTime(Engine.ResumeAsync(id, Cancel));

    public Task<InstanceChange> RetryAsync(
        Guid id, string? variables = null, string? idempotencyKey = null, string? step = null) => InTime(
        Engine.RetryAsync(
            new() { InstanceId = id, Variables = Parsed(variables), Step = step, IdempotencyKey = idempotencyKey },
            Cancel));

    private static Value Parsed(string? json) => json is null ? Value.Null : Value.Parse(json);

    /// <summary>Nothing is under way; a timer that is due may not have been taken yet.</summary>
    public Task IdleAsync() => Engine.WaitForIdleAsync(Cancel).WaitAsync(Eventually.Deadline, Cancel);

    /// <summary>Nothing is under way, and each lane has taken the timers that were due at the call.</summary>
    public async Task SettleAsync()
    {
        for (short lane = 0; lane < Engine.Statistics.Lanes; lane++)
        {
            var nobody = Partitioning.NewId(Guid.Empty, lane);

            // A lane reads the clock before it takes commands, so the first may be taken with an earlier time.
            for (var i = 0; i < 2; i++)
            {
                await Assert.ThrowsAsync<InstanceNotFoundException>(() => Engine.CancelAsync(nobody, Cancel));
            }
        }

        await IdleAsync();
    }

    public async Task<InstanceView> ViewAsync(Guid id)
    {
        var view = await Engine.FindInstanceAsync(id, Cancel);
        Assert.NotNull(view);
        return view;
    }

    public async Task<IReadOnlyList<string>> HistoryAsync(Guid id)
    {
        var lines = await Engine.FindHistoryAsync(id, Cancel);
        Assert.NotNull(lines);
        return [.. lines.Select(l => l.Step is null ? l.Event : $"{l.Event} {l.Step}")];
    }

    public async Task<string> OutputAsync(Guid id)
    {
        var completed = await Events.CompletedAsync(id, Cancel);
        return completed.Output?.GetRawText() ?? "null";
    }

    public async ValueTask DisposeAsync()
    {
        if (!_disposed)
        {
            _disposed = true;
            await Engine.DisposeAsync().AsTask().WaitAsync(Eventually.Deadline, CancellationToken.None);
            await Events.DisposeAsync().AsTask().WaitAsync(Eventually.Deadline, CancellationToken.None);
        }
    }

    private static Task<T> InTime<T>(Task<T> call) => call.WaitAsync(Eventually.Deadline, Cancel);
}

using LoadTesting.Core.Load.Watches;
using Workflow.Client.Events;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Signals;

namespace Benchmarks;

/// <summary>Two nodes on one store: one owns the instances, and signals enter at the other.</summary>
internal sealed class ServicePair : IAsyncDisposable
{
    private const string Definition = """
        { "name": "pair", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "resume", "correlation": "= key", "next": "done" }, "done": { "type": "end" } } }
        """;

    private readonly ConcurrentDictionary<Guid, TaskCompletionSource<long>> _completions = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly EventStreamClient _stream;
    private readonly Task _reading;
    private long _doubled;

    private ServicePair(WebServiceProcess owner, WebServiceProcess entry)
    {
        Owner = owner;
        Entry = entry;
        _stream = new EventStreamClient(owner.BaseAddress);
        _reading = Task.Run(ReadAsync, CancellationToken.None);
    }

    /// <summary>Where instances are started, on separate lanes.</summary>
    public WebServiceProcess Owner { get; }

    /// <summary>Where signals enter.</summary>
    public WebServiceProcess Entry { get; }

    /// <summary>Instances whose completion came more than once.</summary>
    public long Doubled => Interlocked.Read(ref _doubled);

    /// <summary>Starts both nodes, waits until each owns lanes, and registers a definition with one wait.</summary>
    public static async Task<ServicePair> StartAsync(WebServiceOptions options, CancellationToken cancellationToken)
    {
        var started = await WebServiceProcess.StartAsync(options, cancellationToken);
        return await started.OrDisposeAsync(async owner =>
        {
            var pair = new ServicePair(owner, await WebServiceProcess.StartAsync(options, cancellationToken));
            await pair._stream.Connected.WaitAsync(cancellationToken);
            await owner.Client.RegisterDefinitionAsync(Definition, cancellationToken);
            await pair.ShareAsync(cancellationToken);
            return pair;
        });
    }

    /// <summary>Starts an instance at the owner.</summary>
    public async Task<Guid> StartInstanceAsync(CancellationToken cancellationToken)
    {
        var key = System.Text.Json.JsonSerializer.SerializeToElement(new { key = Guid.NewGuid() });
        var id = (await Owner.Client
            .StartAsync(new StartInstance { Definition = "pair", Input = key }, null, cancellationToken)).Id;
        _ = Completion(id);
        return id;
    }

    /// <summary>Signals an instance at the other node and waits for its completion.</summary>
    /// <returns>From just before the request to the first line that reads the event.</returns>
    public async Task<TimeSpan> SignalAsync(Guid instance, CancellationToken cancellationToken)
    {
        var start = Stopwatch.GetTimestamp();
        await Entry.Client
            .SignalInstanceAsync(instance, new SendInstanceSignal { Name = "resume" }, null, cancellationToken);
        return Stopwatch.GetElapsedTime(
            start, await Completion(instance).WaitAsync(TimeSpan.FromSeconds(60), cancellationToken));
    }

    /// <summary>The counters of a node, by name.</summary>
    public static async Task<IReadOnlyDictionary<string, double>> CountAsync(
        WebServiceProcess node, CancellationToken cancellationToken) =>
        MetricsPage.Read(await node.Client.GetMetricsAsync(cancellationToken));

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stream.Dispose();
        await Entry.DisposeAsync();
        await Owner.DisposeAsync();
        _stop.Dispose();
    }

    private Task<long> Completion(Guid instance) => Waiter(instance).Task;

    private TaskCompletionSource<long> Waiter(Guid instance) =>
        _completions.GetOrAdd(
            instance, _ => new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously));

    private async Task ShareAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(20));
        while (await OwnedAsync(Entry, cancellationToken) == 0 || await OwnedAsync(Owner, cancellationToken) == 0)
        {
            await timer.WaitForNextTickAsync(cancellationToken);
        }
    }

    private static async Task<double> OwnedAsync(WebServiceProcess node, CancellationToken cancellationToken) =>
        (await CountAsync(node, cancellationToken))["workflow_owned_lanes"];

    private async Task ReadAsync()
    {
        await foreach (var received in _stream.ReadAsync(_stop.Token))
        {
            if (received.Event is InstanceCompleted { InstanceId: { } instance }
                && !Waiter(instance).TrySetResult(received.ReceivedTicks))
            {
                Interlocked.Increment(ref _doubled);
            }
        }
    }
}

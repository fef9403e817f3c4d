using Microsoft.Extensions.Logging;
using Workflow.Engine;

namespace UnitTests.Workflow.Simulation;

/// <summary>Nodes on one store, which the seed starts, kills, pauses and stops.</summary>
internal sealed class SimulatedCluster(
    SimulationLoop loop, SimulatedProcess outside, Network network, StoreModel model, PlantedBug bug,
    Func<SimulatedProcess, WorkflowEngineOptions> optionsOf)
{
    private readonly List<SimulatedNotifier> _notifiers = [];
    private readonly List<SimulatedNode> _nodes = [];
    private readonly bool _hasGroup = loop.Chance(67);
    private readonly bool _hasPeers = loop.Chance(67);
    private int _lives;

    /// <summary>
    /// Whether nodes ask one another directly: signals of one key then keep their order over all nodes.
    /// </summary>
    public bool HasPeers => _hasPeers;

    /// <summary>Nodes that a client may ask, those that stand still included.</summary>
    public IReadOnlyList<SimulatedNode> Up => [.. _nodes.Where(n => n.IsUp)];

    /// <summary>Starts a node; a start that fails is repeated in a new process.</summary>
    public async Task<SimulatedNode> StartAsync()
    {
        while (true)
        {
            var node = Make();
            _nodes.Add(node);
            try
            {
                await CallAsync(node, async engine =>
                {
                    await engine.StartAsync();
                    engine.PublishAddress(SimulatedPeers.AddressOf(node.Process));
                    return true;
                });
                node.IsUp = true;
                loop.Note(() => $"node {node.Process.Number} is up");
                return node;
            }
            catch (IOException)
            {
                Kill(node);
                await Task.Delay(loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(0.5)), outside.Clock);
            }
        }
    }

    public static string NameOf(SimulatedNode node) => NameOf(node.Process.Number);

    /// <summary>Asks a node from outside; the answer is lost when it is killed.</summary>
    public static Task<T> CallAsync<T>(SimulatedNode node, Func<WorkflowEngine, Task<T>> call)
    {
        var answer = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        node.Process.Killed += () => answer.TrySetException(new IOException("The node was killed."));
        node.Process.Post(async () =>
        {
            try
            {
                answer.TrySetResult(await call(node.Engine));
            }
            catch (Exception e)
            {
                answer.TrySetException(e);
            }
        });
        return answer.Task;
    }

    /// <summary>Returns when every node says that it has nothing to do.</summary>
    public async Task WaitForIdleAsync()
    {
        foreach (var node in Up)
        {
            await CallAsync(node, async engine =>
            {
                await engine.WaitForIdleAsync();
                return true;
            });
        }
    }

    /// <summary>What is in flight to the store still arrives there; nothing else of the node goes on.</summary>
    public void Kill(SimulatedNode node)
    {
        node.IsUp = false;
        _nodes.Remove(node);
        node.Process.Kill();
    }

    public async Task StopAsync(SimulatedNode node)
    {
        node.IsUp = false;
        try
        {
            await CallAsync(node, async engine =>
            {
                await engine.DisposeAsync();
                return true;
            });
        }
        catch (IOException)
        {
            // It was killed while it stopped, or could not reach the store.
        }

        Kill(node);
    }

    /// <summary>Ends every node as a loss of power would.</summary>
    public void KillAll() => _nodes.ToList().ForEach(Kill);

    private static string NameOf(int life) => $"node {life}";

    private SimulatedPeers Peers(SimulatedProcess own) =>
        new(loop, network, own, number => _nodes.FirstOrDefault(n => n.Process.Number == number), bug);

    private SimulatedNode Make()
    {
        var process = new SimulatedProcess(loop, ++_lives + 10);
        var notifier = new SimulatedNotifier(network, process, _notifiers);
        process.Killed += () => _ = notifier.DisposeAsync().AsTask();
        var options = optionsOf(process);
        var outer = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(process);
        try
        {
            var runtime = new EngineRuntime
            {
                Scheduler = TaskScheduler.FromCurrentSynchronizationContext(),
                IoTime = process.Clock,
                NewId = loop.NewId,
            };
            options = options with
            {
                Cluster = options.Cluster with
                {
                    NodeName = NameOf(process.Number), Notifier = notifier, Peers = _hasPeers ? Peers(process) : null,
                },
            };
            return new(process, new WorkflowEngine(
                new SimulatedStore(network, model, bug, _hasGroup), options, process.Clock,
                new NotesLogger(loop, process), runtime));
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(outer);
        }
    }
}

/// <summary>Notes what an engine logs.</summary>
internal sealed class NotesLogger(SimulationLoop loop, SimulatedProcess process) : ILoggerFactory, ILogger
{
    public void AddProvider(ILoggerProvider provider) =>
        throw new NotSupportedException("Notes are the only provider.");

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => loop.Notes is not null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception,
        Func<TState, Exception?, string> formatter) =>
        loop.Note(
            () => $"node {process.Number} logs: {formatter(state, exception)} {exception?.GetBaseException().Message}");

    public void Dispose()
    {
    }
}

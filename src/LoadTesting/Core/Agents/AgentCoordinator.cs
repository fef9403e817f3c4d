using System.Net;
using System.Net.Sockets;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;

namespace LoadTesting.Core.Agents;

/// <summary>What a coordinator waits for.</summary>
public sealed record CoordinatorOptions
{
    /// <summary>Agents that share the load, at least 1.</summary>
    public required int Agents { get; init; }

    /// <summary>What both sides know; at least 16 characters.</summary>
    public required string Token { get; init; }

    /// <summary>Where agents connect. Default: a free port of this machine alone.</summary>
    public IPEndPoint Listen { get; init; } = new(IPAddress.Loopback, 0);

    /// <summary>How long all agents may take to come. Default 60 s.</summary>
    public TimeSpan JoinTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>How long an agent may take to prepare and warm up. Default 60 s.</summary>
    public TimeSpan PrepareTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>An agent that says nothing for so long is dead; each says something every second. Default 10 s.</summary>
    public TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Timer of all of them.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

/// <summary>
/// Divides loads among agents, starts them at one instant and adds up what they measured. That instant is agreed by each agent's monotonic
/// clock, whose difference is measured by round trips (Cristian's algorithm): wall clocks may differ, and are reported. One load at a time;
/// an agent that fails, dies or falls silent ends it, and there is no other.
/// </summary>
public sealed class AgentCoordinator : IAsyncDisposable
{
    internal const string AgentRole = "agent";
    internal const string CoordinatorRole = "coordinator";

    private const int ShortestToken = 16;

    /// <summary>Whoever connects and says nothing keeps the others waiting for so long; an agent on a busy machine takes seconds.</summary>
    private static readonly TimeSpan HandshakeTimeout = TimeSpan.FromSeconds(20);

    private readonly TcpListener _listener;
    private readonly List<ConnectedAgent> _agents = [];
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private AgentException? _failure;
    private int _joined;

    /// <summary>Listens from now on.</summary>
    /// <exception cref="ArgumentException">The number of agents or the token cannot be used.</exception>
    /// <exception cref="SocketException">The address is taken.</exception>
    public AgentCoordinator(CoordinatorOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        RequireToken(options.Token);
        if (options.Agents < 1)
        {
            throw new ArgumentException($"A load cannot be divided among {options.Agents} agents; name at least 1.", nameof(options));
        }

        Options = options;
        _listener = new TcpListener(options.Listen);
        _listener.Start();
    }

    /// <summary>The port that it listens on.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>What it waits for.</summary>
    public CoordinatorOptions Options { get; }

    /// <summary>Processes of the agents on this machine, once they have come.</summary>
    public IReadOnlyList<int> LocalProcessIds => [.. _agents.Where(agent => agent.IsLocal).Select(agent => agent.ProcessId)];

    /// <summary>Completes when every agent has been given the instant of the first start; never where it does not come to that.</summary>
    public Task Begun => _begun.Task;

    /// <summary>Runs one load on all agents, whose iterations need no service that is waited for.</summary>
    /// <inheritdoc cref="PrepareAsync"/>
    /// <returns>The load as one runner would have measured it.</returns>
    public async Task<LoadResult> RunAsync(string description, IReadOnlyList<ScenarioProps> whole, CancellationToken cancellationToken)
    {
        var divided = await PrepareAsync(description, whole, cancellationToken).ConfigureAwait(false);
        var (load, _) = await divided.DriveAsync(
            [], waitForIdle: null, source: null, CancellationToken.None, cancellationToken).ConfigureAwait(false);
        return load;
    }

    /// <summary>Has all agents prepare and warm up one load; they come first where they have not yet.</summary>
    /// <param name="description">Names the load to the agents, which resolve it.</param>
    /// <param name="whole">The same load, for its thresholds.</param>
    /// <param name="cancellationToken">Ends the run on all agents.</param>
    /// <exception cref="AgentException">Agents did not come, or one failed, died or fell silent; the message names it.</exception>
    /// <exception cref="ArgumentException">The load cannot be divided among so many.</exception>
    public async Task<DividedLoad> PrepareAsync(
        string description, IReadOnlyList<ScenarioProps> whole, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(whole);
        RequireDivisible(whole);
        await GatherAsync(cancellationToken).ConfigureAwait(false);
        await WithAllAsync(async over =>
        {
            for (var index = 0; index < _agents.Count; index++)
            {
                await _agents[index].PrepareAsync(description, index, _agents.Count, over).ConfigureAwait(false);
            }
        }, cancellationToken).ConfigureAwait(false);
        await EachAsync((agent, over) => agent.ReadyAsync(Options.PrepareTimeout, over), cancellationToken).ConfigureAwait(false);
        return new DividedLoad(this, whole);
    }

    /// <summary>Waits until all agents have come; at once where they have.</summary>
    /// <exception cref="AgentException">They did not in time, or one has failed since; the message names it.</exception>
    public Task GatherAsync(CancellationToken cancellationToken) => WithAllAsync(AcceptAsync, cancellationToken);

    /// <summary>Ends the agents in order.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (var agent in _agents)
        {
            if (_failure is null)
            {
                await agent.EndAsync().ConfigureAwait(false);
            }

            agent.Dispose();
        }

        _agents.Clear();
        _listener.Dispose();
    }

    /// <exception cref="ArgumentException">It is too short to be a secret.</exception>
    internal static void RequireToken(string token)
    {
        if (token is not { Length: >= ShortestToken })
        {
            throw new ArgumentException(
                $"The token has {token?.Length ?? 0} characters; give coordinator and agents the same {ShortestToken} or more.",
                nameof(token));
        }
    }

    /// <summary>Agents that have come and proved themselves.</summary>
    internal int Joined => Volatile.Read(ref _joined);

    internal IReadOnlyList<ConnectedAgent> Agents => _agents;

    internal void HasBegun() => _begun.TrySetResult();

    /// <summary>Each agent takes the step at the same time. The first failure ends the run, and is the one that is thrown.</summary>
    internal Task EachAsync(Func<ConnectedAgent, CancellationToken, Task> step, CancellationToken cancellationToken) =>
        WithAllAsync(async token =>
        {
            using var over = CancellationTokenSource.CreateLinkedTokenSource(token);
            var steps = _agents.Select(agent => step(agent, over.Token)).ToList();
            var all = Task.WhenAll(steps);
            while (steps.Count > 0)
            {
                var ended = await Task.WhenAny(steps).ConfigureAwait(false);
                steps.Remove(ended);
                if (!ended.IsCompletedSuccessfully)
                {
                    await over.CancelAsync().ConfigureAwait(false);
                    await all.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    await ended.ConfigureAwait(false);
                }
            }
        }, cancellationToken);

    /// <summary>A step of all agents together: where it fails none of them goes on, and no later step is begun.</summary>
    internal async Task WithAllAsync(Func<CancellationToken, Task> step, CancellationToken cancellationToken)
    {
        if (_failure is { } earlier)
        {
            throw new AgentException($"There is no load without all agents: {earlier.Message}", earlier);
        }

        try
        {
            await step(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            _failure = exception as AgentException ?? new AgentException($"the run was ended: {exception.Message}", exception);
            _agents.ForEach(agent => agent.Dispose());
            throw;
        }
    }

    private void RequireDivisible(IReadOnlyList<ScenarioProps> whole)
    {
        foreach (var scenario in whole)
        {
            _ = scenario.ShareOf(0, Options.Agents);
            if (scenario.Thresholds.FirstOrDefault(threshold => threshold.AbortAfterMisses is not null) is { } rule)
            {
                throw new ArgumentException(
                    $"Scenario '{scenario.ScenarioName}' cannot be divided: AbortWhen of its threshold {rule.Name} {rule.Limit} looks at "
                    + "each second while the load runs, and no agent sees the seconds of all. Leave AbortWhen out (the threshold is still "
                    + "judged, on the whole), or run it without agents.",
                    nameof(whole));
            }
        }
    }

    /// <summary>Their parts are in the order of their names, whoever comes first.</summary>
    private async Task AcceptAsync(CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(Options.JoinTimeout, Options.TimeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        var (refused, last) = (0, "");
        while (_agents.Count < Options.Agents)
        {
            try
            {
                var socket = await _listener.AcceptSocketAsync(either.Token).ConfigureAwait(false);
                socket.NoDelay = true;
                var isLocal = IPAddress.IsLoopback(((IPEndPoint)socket.RemoteEndPoint!).Address);
                var (agent, problem) = await ConnectedAgent.GreetAsync(
                    new AgentChannel(socket), Options.Token, [.. _agents.Select(agent => agent.Name)], HandshakeTimeout,
                    Options.TimeProvider, either.Token)
                    .ConfigureAwait(false);
                if (agent is not null)
                {
                    agent.IsLocal = isLocal;
                    _agents.Add(agent);
                    Volatile.Write(ref _joined, _agents.Count);
                }
                else
                {
                    (refused, last) = (refused + 1, problem);
                }
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw new AgentException(
                    $"{_agents.Count} of {Options.Agents} agents came within {Options.JoinTimeout.TotalSeconds:0.#} s"
                    + (_agents.Count == 0 ? "" : $": {string.Join(", ", _agents.Select(agent => agent.Name))}")
                    + (refused == 0 ? "." : $"; {refused} were refused, the last because {last}."));
            }
        }

        _agents.Sort((one, other) => string.CompareOrdinal(one.Name, other.Name));
    }
}

/// <summary>A load that all agents have prepared, on its way to one result.</summary>
public sealed class DividedLoad
{
    private const int Rounds = 20;
    private static readonly TimeSpan Ahead = TimeSpan.FromMilliseconds(300);

    private readonly AgentCoordinator _coordinator;
    private readonly IReadOnlyList<ScenarioProps> _whole;
    private readonly Lock _gate = new();
    private TaskCompletionSource<long> _idle = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _settled;
    private long? _idleTicks;

    internal DividedLoad(AgentCoordinator coordinator, IReadOnlyList<ScenarioProps> whole) => (_coordinator, _whole) = (coordinator, whole);

    private TimeSpan Silence => _coordinator.Options.SilenceTimeout;

    /// <summary>Starts it on all agents at one instant, and waits for what they measure.</summary>
    /// <param name="like">
    /// A tally without operations for each scenario, for the rules that they go by; empty where iterations are all.
    /// </param>
    /// <param name="waitForIdle">
    /// Waits until the system is idle, once all agents have settled, and gives that moment in Stopwatch ticks; null where agents do not
    /// settle.
    /// </param>
    /// <param name="source">What the timeline shows beside the load; null: nothing.</param>
    /// <param name="interruption">Ends the load before its time on all agents; what there is is the result.</param>
    /// <param name="cancellationToken">Ends the run on all agents; the result is lost.</param>
    /// <returns>The load as one runner would have measured it, and what the operations of each scenario came to.</returns>
    /// <exception cref="AgentException">One failed, died or fell silent; the message names it.</exception>
    public async Task<(LoadResult Load, IReadOnlyList<OperationTally> Tallies)> DriveAsync(
        IReadOnlyList<OperationTally> like, Func<CancellationToken, Task<long>>? waitForIdle, ITimelineSource? source,
        CancellationToken interruption, CancellationToken cancellationToken)
    {
        await _coordinator.WithAllAsync(async token =>
        {
            foreach (var agent in _coordinator.Agents)
            {
                await agent.MeasureClockAsync(Rounds, Silence, token).ConfigureAwait(false);
            }
        }, cancellationToken).ConfigureAwait(false);
        var start = Stopwatch.GetTimestamp() + StopwatchTime.FromTimeSpan(Ahead);
        var samples = new LoadSamples(start);
        await _coordinator.EachAsync((agent, token) => agent.StartAsync(start, token), cancellationToken).ConfigureAwait(false);
        _coordinator.HasBegun();
        var sampler = source is null ? null : TimelineSampler.Start([], samples, source);
        var interrupting = Task.CompletedTask;
        try
        {
            await using var ending = interruption.UnsafeRegister(
                _ => interrupting = InterruptAsync(cancellationToken), state: null).ConfigureAwait(false);
            await _coordinator.EachAsync(
                (agent, token) => agent.ResultAsync(Silence, stop => IdleAsync(waitForIdle, stop), token), cancellationToken)
                .ConfigureAwait(false);
        }
        finally
        {
            await interrupting.ConfigureAwait(false);
            await (sampler?.StopAsync() ?? Task.CompletedTask).ConfigureAwait(false);
        }

        var parts = _coordinator.Agents.Select(agent => (agent.Name, Measured: agent.Measured!)).ToList();
        var load = AgentMerge.Of(_whole, parts, start, source is null ? null : samples) with
        {
            Agents = [.. _coordinator.Agents.Select(agent => agent.Report())],
        };
        return (load, [.. like.Select((rules, place) => OperationTally.Of(
            rules, [.. parts.Select(part => part.Measured.Operations[place])], start, _idleTicks))]);
    }

    /// <summary>Waits for what agents still hear of the system.</summary>
    /// <param name="cancellationToken">Ends the run on all agents.</param>
    /// <returns>What all of them heard together; the service's split is left out where not all of them know it.</returns>
    /// <exception cref="AgentException">One failed, died or fell silent; the message names it.</exception>
    public async Task<AgentEvents> ConcludeAsync(CancellationToken cancellationToken)
    {
        await _coordinator.EachAsync((agent, token) => agent.ConcludeAsync(Silence, token), cancellationToken).ConfigureAwait(false);
        return AgentMerge.Of([.. _coordinator.Agents.Select(agent => (agent.Name, agent.Heard!))]);
    }

    private async Task InterruptAsync(CancellationToken cancellationToken)
    {
        foreach (var agent in _coordinator.Agents)
        {
            try
            {
                await agent.InterruptAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is AgentException or ObjectDisposedException or OperationCanceledException)
            {
                return; // Whoever waits for its result finds that it is gone, and says so.
            }
        }
    }

    /// <summary>An agent has settled: once all have, one of them waits for the system, and all are given that moment.</summary>
    private async Task<long> IdleAsync(Func<CancellationToken, Task<long>>? waitForIdle, CancellationToken cancellationToken)
    {
        if (waitForIdle is null)
        {
            throw new InvalidDataException("it waits for a system to be idle that nobody watches");
        }

        TaskCompletionSource<long> idle;
        bool isLast;
        lock (_gate)
        {
            idle = _idle;
            isLast = ++_settled == _coordinator.Agents.Count;
            if (isLast)
            {
                (_settled, _idle) = (0, new(TaskCreationOptions.RunContinuationsAsynchronously));
            }
        }

        if (!isLast)
        {
            return await idle.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        var ticks = await waitForIdle(cancellationToken).ConfigureAwait(false);
        _idleTicks = ticks;
        idle.SetResult(ticks);
        return ticks;
    }
}

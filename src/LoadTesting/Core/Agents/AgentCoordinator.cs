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

    /// <summary>Is given a sentence for each connection that is refused, with its address. Default: nobody.</summary>
    public Action<string>? Refused { get; init; }

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

    private readonly TcpListener _listener;
    private readonly AgentReception _reception;
    private readonly List<ConnectedAgent> _agents = [];
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private AgentException? _failure;

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
        Port = ((IPEndPoint)_listener.LocalEndpoint).Port;
        _reception = new AgentReception(_listener, options);
    }

    /// <summary>The port that it listens on until all agents have come.</summary>
    public int Port { get; }

    /// <summary>What it waits for.</summary>
    public CoordinatorOptions Options { get; }

    /// <summary>
    /// What this coordinator and its agents alone know, 64 hexadecimal digits: follows from the token, which nobody finds from it. For what
    /// they use together, such as a key of the system under test.
    /// </summary>
    public string Secret => AgentChannel.SecretOf(Options.Token);

    /// <summary>Processes of the agents on this machine, once they have come.</summary>
    public IReadOnlyList<int> LocalProcessIds => [.. _agents.Where(agent => agent.IsLocal).Select(agent => agent.ProcessId)];

    /// <summary>
    /// The agents, once they have come, each with what its process held when it last said so, about once a second; null before that.
    /// </summary>
    public IReadOnlyList<(string Agent, Func<ProcessReading?> Read)> Processes =>
        [.. _agents.Select(agent => (agent.Name, (Func<ProcessReading?>)(() => agent.Process)))];

    /// <summary>Completes when every agent has been given the instant of the first start; never where it does not come to that.</summary>
    public Task Begun => _begun.Task;

    /// <summary>Runs one load on all agents, whose iterations need no service that is waited for.</summary>
    /// <inheritdoc cref="PrepareAsync"/>
    /// <param name="metrics">Publish the figures of all agents together while the load runs; null: nobody does.</param>
    /// <returns>The load as one runner would have measured it.</returns>
    public async Task<LoadResult> RunAsync(
        string description, IReadOnlyList<ScenarioProps> whole, CancellationToken cancellationToken, LoadMetrics? metrics = null)
    {
        var divided = await PrepareAsync(description, whole, cancellationToken).ConfigureAwait(false);
        var (load, _) = await divided.DriveAsync(
            [], waitForIdle: null, source: null, new() { Metrics = metrics }, cancellationToken).ConfigureAwait(false);
        return load;
    }

    /// <summary>Has all agents prepare and warm up one load; they come first where they have not yet.</summary>
    /// <param name="description">Names the load to the agents, which resolve it.</param>
    /// <param name="whole">
    /// The same load, for its thresholds: <see cref="Threshold.AbortWhen"/> looks at the seconds of all agents together.
    /// </param>
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
    public Task GatherAsync(CancellationToken cancellationToken) => WithAllAsync(
        async token =>
        {
            if (_agents.Count == 0)
            {
                _agents.AddRange(await _reception.ReceiveAsync(token).ConfigureAwait(false));
                _listener.Stop();
            }
        },
        cancellationToken);

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
    internal int Joined => _reception.Joined;

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
        }
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
    /// <param name="options">
    /// Of them <see cref="LoadOptions.Metrics"/>, <see cref="LoadOptions.Interruption"/> and <see cref="LoadOptions.OnInterval"/> with its
    /// length, for all agents together. An interval ends when all agents have completed it; it has no steps and no sizes.
    /// </param>
    /// <param name="cancellationToken">Ends the run on all agents; the result is lost.</param>
    /// <returns>The load as one runner would have measured it, and what the operations of each scenario came to.</returns>
    /// <exception cref="AgentException">One failed, died or fell silent; the message names it.</exception>
    public async Task<(LoadResult Load, IReadOnlyList<OperationTally> Tallies)> DriveAsync(
        IReadOnlyList<OperationTally> like, Func<CancellationToken, Task<long>>? waitForIdle, ITimelineSource? source,
        LoadOptions options, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        await _coordinator.WithAllAsync(async token =>
        {
            foreach (var agent in _coordinator.Agents)
            {
                await agent.MeasureClockAsync(Rounds, Silence, token).ConfigureAwait(false);
            }
        }, cancellationToken).ConfigureAwait(false);
        var start = Stopwatch.GetTimestamp() + StopwatchTime.FromTimeSpan(Ahead);
        var samples = new LoadSamples(start);
        var (interrupting, stopping, rule) = (Task.CompletedTask, Task.CompletedTask, null as string);
        using var seconds = new DividedSeconds(_whole, like, _coordinator.Agents, start, Stop, options, samples);
        await _coordinator.EachAsync((agent, token) => agent.StartAsync(start, token), cancellationToken).ConfigureAwait(false);
        _coordinator.HasBegun();
        var sampler = source is null ? null : TimelineSampler.Start([], samples, source);
        try
        {
            await using var ending = options.Interruption.UnsafeRegister(
                _ => interrupting = InterruptAsync(reason: null, cancellationToken), state: null).ConfigureAwait(false);
            await _coordinator.EachAsync(
                (agent, token) => agent.ResultAsync(Silence, stop => IdleAsync(waitForIdle, stop), token), cancellationToken)
                .ConfigureAwait(false);
        }
        finally
        {
            await Task.WhenAll(interrupting, stopping).ConfigureAwait(false);
            await (sampler?.StopAsync() ?? Task.CompletedTask).ConfigureAwait(false);
        }

        var parts = _coordinator.Agents.Select(agent => (agent.Name, Measured: agent.Measured!)).ToList();
        var load = AgentMerge.Of(_whole, parts, start, source is null ? null : samples);
        load = load with
        {
            Agents = [.. _coordinator.Agents.Select(agent => agent.ToResult())],
            StopReason = rule ?? load.StopReason,
        };
        seconds.End(load);
        return (load, [.. like.Select((rules, place) => OperationTally.Of(
            rules, [.. parts.Select(part => part.Measured.Operations[place])], start, _idleTicks))]);

        void Stop(string reason)
        {
            if (rule is null)
            {
                (rule, stopping) = (reason, InterruptAsync(reason, cancellationToken));
            }
        }
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

    private async Task InterruptAsync(string? reason, CancellationToken cancellationToken)
    {
        foreach (var agent in _coordinator.Agents)
        {
            try
            {
                await agent.InterruptAsync(reason, cancellationToken).ConfigureAwait(false);
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

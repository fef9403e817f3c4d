using System.Net;
using System.Net.Sockets;
using LoadTesting.Core.Load;

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

    /// <summary>How long all agents may take to come and to prepare. Default 60 s.</summary>
    public TimeSpan JoinTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>An agent that says nothing for so long is dead; each says something every second. Default 10 s.</summary>
    public TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>Timer of both.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

/// <summary>One agent of a run.</summary>
/// <param name="Name">What it called itself.</param>
/// <param name="Host">Its machine.</param>
/// <param name="ClockDifferenceMs">Its wall clock less the coordinator's, milliseconds, right before the start.</param>
/// <param name="ClockErrorMs">What that and the instant of its start are known to within: half of the fastest round trip.</param>
/// <param name="StartedLateMs">How late it began after the agreed instant, by its own clock, milliseconds.</param>
/// <param name="Requested">Iterations of its part.</param>
public sealed record AgentReport(
    string Name, string Host, double ClockDifferenceMs, double ClockErrorMs, double StartedLateMs, long Requested);

/// <summary>A load that several agents made.</summary>
/// <param name="Load">As one runner would have measured it.</param>
/// <param name="Agents">Who took part, in the order of their parts.</param>
public sealed record AgentRun(LoadResult Load, IReadOnlyList<AgentReport> Agents);

/// <summary>
/// Divides a load among agents, starts them at one instant and adds up what they measured. That instant is agreed by each agent's monotonic
/// clock, whose difference is measured by round trips (Cristian's algorithm): wall clocks may differ, and are reported.
/// </summary>
public sealed class AgentCoordinator : IDisposable
{
    internal const string AgentRole = "agent";
    internal const string CoordinatorRole = "coordinator";

    private const int ShortestToken = 16;
    private const int Rounds = 20;
    private static readonly TimeSpan Ahead = TimeSpan.FromMilliseconds(300);

    /// <summary>Whoever connects and says nothing keeps the others waiting for so long; an agent on a busy machine takes seconds.</summary>
    private static readonly TimeSpan HandshakeTimeout = TimeSpan.FromSeconds(20);

    private readonly CoordinatorOptions _options;
    private readonly TcpListener _listener;
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
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

        _options = options;
        _listener = new TcpListener(options.Listen);
        _listener.Start();
    }

    /// <summary>The port that it listens on.</summary>
    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Completes when every agent has been given the instant of the start; never where it does not come to that.</summary>
    public Task Begun => _begun.Task;

    /// <summary>Agents that have come and proved themselves.</summary>
    internal int Joined => Volatile.Read(ref _joined);

    /// <summary>Runs one load on all agents.</summary>
    /// <param name="description">Names the load to the agents, which resolve it.</param>
    /// <param name="whole">The same load, for its thresholds.</param>
    /// <param name="cancellationToken">Ends the run on all agents.</param>
    /// <exception cref="AgentException">Agents did not come, or one failed, died or fell silent; the message names it.</exception>
    /// <exception cref="ArgumentException">The load cannot be divided among so many.</exception>
    public async Task<AgentRun> RunAsync(string description, IReadOnlyList<ScenarioProps> whole, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(whole);
        foreach (var scenario in whole)
        {
            _ = scenario.ShareOf(0, _options.Agents);
        }

        var agents = new List<ConnectedAgent>();
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        try
        {
            await AcceptAsync(agents, over.Token).ConfigureAwait(false);
            for (var index = 0; index < agents.Count; index++)
            {
                await agents[index].PrepareAsync(description, index, agents.Count, over.Token).ConfigureAwait(false);
            }

            await AllAsync(agents, agent => agent.ReadyAsync(_options.JoinTimeout, over.Token), over).ConfigureAwait(false);
            foreach (var agent in agents)
            {
                await agent.MeasureClockAsync(Rounds, _options.SilenceTimeout, over.Token).ConfigureAwait(false);
            }

            var start = Stopwatch.GetTimestamp() + StopwatchTime.FromTimeSpan(Ahead);
            await AllAsync(agents, agent => agent.StartAsync(start, over.Token), over).ConfigureAwait(false);
            _begun.TrySetResult();
            await AllAsync(agents, agent => agent.ResultAsync(_options.SilenceTimeout, over.Token), over).ConfigureAwait(false);
            return new AgentRun(
                AgentMerge.Of(whole, [.. agents.Select(agent => (agent.Name, agent.Measured!))]),
                [.. agents.Select(agent => agent.Report())]);
        }
        finally
        {
            agents.ForEach(agent => agent.Dispose());
        }
    }

    public void Dispose() => _listener.Dispose();

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

    /// <summary>The first failure ends the run, and is the one that is thrown.</summary>
    private static async Task AllAsync(List<ConnectedAgent> agents, Func<ConnectedAgent, Task> step, CancellationTokenSource over)
    {
        var steps = agents.Select(step).ToList();
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
    }

    private async Task AcceptAsync(List<ConnectedAgent> agents, CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(_options.JoinTimeout, _options.TimeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        var (refused, last) = (0, "");
        while (agents.Count < _options.Agents)
        {
            try
            {
                var socket = await _listener.AcceptSocketAsync(either.Token).ConfigureAwait(false);
                socket.NoDelay = true;
                var (agent, problem) = await ConnectedAgent.GreetAsync(
                    new AgentChannel(socket), _options.Token, [.. agents.Select(agent => agent.Name)], HandshakeTimeout,
                    _options.TimeProvider, either.Token)
                    .ConfigureAwait(false);
                if (agent is not null)
                {
                    agents.Add(agent);
                    Volatile.Write(ref _joined, agents.Count);
                }
                else
                {
                    (refused, last) = (refused + 1, problem);
                }
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw new AgentException(
                    $"{agents.Count} of {_options.Agents} agents came within {_options.JoinTimeout.TotalSeconds:0.#} s"
                    + (agents.Count == 0 ? "" : $": {string.Join(", ", agents.Select(agent => agent.Name))}")
                    + (refused == 0 ? "." : $"; {refused} were refused, the last because {last}."));
            }
        }
    }
}

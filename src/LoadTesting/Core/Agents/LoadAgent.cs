using System.Threading.Channels;
using LoadTesting.Core.Load.Events;

namespace LoadTesting.Core.Agents;

/// <summary>How an agent finds its coordinator.</summary>
public sealed record AgentOptions
{
    /// <summary>Host name or address of the coordinator.</summary>
    public required string Host { get; init; }

    /// <summary>Its port, 1 to 65535.</summary>
    public required int Port { get; init; }

    /// <summary>What both sides know; at least 16 characters.</summary>
    public required string Token { get; init; }

    /// <summary>What errors and results call this agent; unique in a run. Default: machine and process.</summary>
    public string Name { get; init; } = $"{Environment.MachineName}-{Environment.ProcessId}";

    /// <summary>How long the coordinator is tried for, which may start later. Default 60 s.</summary>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(60);
}

/// <summary>An agent's part of a load, as the coordinator gives it.</summary>
/// <param name="Description">What the coordinator calls the load.</param>
/// <param name="Index">Which part, from 0.</param>
/// <param name="Of">How many parts there are.</param>
/// <param name="WaitForIdleAsync">
/// Reports that everything begun here is over, and waits until the coordinator has seen the system idle after all agents. Gives that
/// moment in Stopwatch ticks of this process. Every agent calls it as often as the others, and only where the coordinator waits for it.
/// </param>
/// <param name="Interruption">Ends the load before its time; what there is will be kept.</param>
public sealed record AgentPart(
    string Description, int Index, int Of, Func<CancellationToken, Task<long>> WaitForIdleAsync, CancellationToken Interruption)
{
    /// <summary>As <see cref="AgentCoordinator.Secret"/>.</summary>
    public string Secret { get; init; } = "";

    /// <summary>What the keys of this part begin with: agents hear of each other's operations.</summary>
    public string KeyPrefix => PrefixOf(Index);

    /// <summary>
    /// Whether a key is this part's to account for: its own, and for the first part those that are nobody's, so that each is one agent's.
    /// </summary>
    public bool Owns(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return key.StartsWith(KeyPrefix, StringComparison.Ordinal)
            || (Index == 0 && !Enumerable.Range(0, Of).Any(part => key.StartsWith(PrefixOf(part), StringComparison.Ordinal)));
    }

    private static string PrefixOf(int index) => string.Create(CultureInfo.InvariantCulture, $"a{index}-");
}

/// <summary>A load that an agent has prepared and warmed up.</summary>
/// <param name="Scenarios">The whole load, the same as the coordinator's: the part is taken from it.</param>
public sealed record AgentLoad(IReadOnlyList<ScenarioProps> Scenarios) : IAsyncDisposable
{
    /// <summary>Settings of this process; start, seed and interruption are the coordinator's.</summary>
    public LoadOptions Options { get; init; } = new();

    /// <summary>What the operations of each scenario come to, where iterations are not operations; else empty.</summary>
    public IReadOnlyList<OperationTally> Tallies { get; init; } = [];

    /// <summary>Waits for what is still to be heard of the system; null where nothing is.</summary>
    public Func<CancellationToken, Task<AgentEvents>>? ConcludeAsync { get; init; }

    /// <summary>Ends what was prepared; default: nothing.</summary>
    public Func<ValueTask> EndAsync { get; init; } = () => ValueTask.CompletedTask;

    public ValueTask DisposeAsync() => EndAsync();
}

/// <summary>What an agent heard of the events of its operations.</summary>
/// <param name="Counts">What became of its waits.</param>
/// <param name="ServerSplit">The service's own split of its time, by part, in order; empty where its clock is another.</param>
/// <param name="Missing">Which events have not come in time; null where all have.</param>
public sealed record AgentEvents(EventAwaiterCounts Counts, IReadOnlyList<ServerPart> ServerSplit, string? Missing);

/// <summary>What a process holds.</summary>
/// <param name="MemoryBytes">Its working set.</param>
/// <param name="Handles">Files, sockets and others that it has open.</param>
public sealed record ProcessReading(long MemoryBytes, int Handles)
{
    /// <exception cref="ArgumentException">There is no such process.</exception>
    public static ProcessReading Of(int processId)
    {
        using var process = Process.GetProcessById(processId);
        return new(process.WorkingSet64, process.HandleCount);
    }
}

/// <summary>A part of the service's own split of its time.</summary>
public sealed record ServerPart(string Name, LatencyHistogram Latency);

/// <summary>
/// One of several processes that share a load: it connects to the coordinator, prepares its part, starts at the agreed instant and hands
/// over all that it measured; then the next load, until there is none.
/// </summary>
public sealed class LoadAgent
{
    private static readonly TimeSpan Retry = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    private readonly AgentChannel _channel;
    private readonly Func<AgentPart, CancellationToken, Task<AgentLoad>> _resolve;
    private readonly Channel<AgentMessage> _inbox = Channel.CreateUnbounded<AgentMessage>();
    private readonly Lock _gate = new();
    private IReadOnlyList<ScenarioSeconds>? _unsaid;
    private volatile CancellationTokenSource? _interruption;
    private volatile StopRequest? _stop;
    private volatile IReadOnlyList<OperationTally> _tallies = [];

    private readonly string _secret;

    private LoadAgent(AgentChannel channel, string secret, Func<AgentPart, CancellationToken, Task<AgentLoad>> resolve) =>
        (_channel, _secret, _resolve) = (channel, secret, resolve);

    /// <summary>Takes part in the loads of one coordinator, whose scenarios need no preparation but their own.</summary>
    /// <inheritdoc cref="RunAsync(AgentOptions, Func{AgentPart, CancellationToken, Task{AgentLoad}}, CancellationToken)"/>
    public static Task RunAsync(
        AgentOptions options, Func<string, IReadOnlyList<ScenarioProps>> resolve, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(resolve);
        return RunAsync(options, (part, _) => Task.FromResult(new AgentLoad(resolve(part.Description))), cancellationToken);
    }

    /// <summary>Takes part in the loads of one coordinator.</summary>
    /// <param name="options">Where the coordinator is.</param>
    /// <param name="resolve">Prepares and warms up the whole load of what the coordinator calls it; the same as the coordinator's.</param>
    /// <param name="cancellationToken">Ends the agent, and with it the run.</param>
    /// <exception cref="AgentException">The coordinator cannot be reached, refuses this agent, or ended before the result.</exception>
    public static async Task RunAsync(
        AgentOptions options, Func<AgentPart, CancellationToken, Task<AgentLoad>> resolve, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(resolve);
        AgentCoordinator.RequireToken(options.Token);
        using var channel = new AgentChannel(await ConnectAsync(options, cancellationToken).ConfigureAwait(false));
        var hasJoined = false;
        try
        {
            await JoinAsync(options, channel, cancellationToken).ConfigureAwait(false);
            hasJoined = true;
            var agent = new LoadAgent(channel, AgentChannel.SecretOf(options.Token), resolve);
            await agent.TakePartsAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or SocketException or InvalidDataException or ChannelClosedException)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw new AgentException(
                $"The coordinator at {options.Host}:{options.Port} ended the run"
                + $"{(hasJoined ? "" : $" before agent '{options.Name}' had joined; has it all its agents already?")}: "
                + (exception.InnerException ?? exception).Message,
                exception);
        }
    }

    private static async Task<Socket> ConnectAsync(AgentOptions options, CancellationToken cancellationToken)
    {
        var began = Stopwatch.GetTimestamp();
        while (true)
        {
            var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            try
            {
                await socket.ConnectAsync(options.Host, options.Port, cancellationToken).ConfigureAwait(false);
                return socket;
            }
            catch (SocketException exception)
            {
                socket.Dispose();
                if (Stopwatch.GetElapsedTime(began) > options.ConnectTimeout)
                {
                    throw new AgentException(
                        $"No coordinator at {options.Host}:{options.Port} within {options.ConnectTimeout.TotalSeconds:0} s: "
                        + $"{exception.Message}. Start it, or name another address.", exception);
                }

                await Task.Delay(Retry, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    /// <summary>Both sides prove themselves: the agent takes no load from somebody else, however long that one waits.</summary>
    private static async Task JoinAsync(AgentOptions options, AgentChannel channel, CancellationToken cancellationToken)
    {
        var hello = await channel.ReceiveAsync(cancellationToken).ConfigureAwait(false);
        var nonce = AgentChannel.Nonce();
        await channel.SendAsync(
            new(AgentMessageKind.Join)
            {
                Name = options.Name, Host = Environment.MachineName, ProcessId = Environment.ProcessId, Nonce = nonce,
                Proof = AgentChannel.Proof(options.Token, AgentCoordinator.AgentRole, hello.Nonce ?? ""),
            },
            cancellationToken).ConfigureAwait(false);
        var answer = await channel.ReceiveAsync(cancellationToken).ConfigureAwait(false);
        if (answer.Kind == AgentMessageKind.Refuse)
        {
            throw new AgentException($"The coordinator refused agent '{options.Name}': {answer.Text}");
        }

        channel.IsTrusted = AgentChannel.IsProof(answer.Proof, options.Token, AgentCoordinator.CoordinatorRole, nonce)
            ? true
            : throw new AgentException(
                $"What listens at {options.Host}:{options.Port} does not know the token; is it the coordinator?");
    }

    private async Task TakePartsAsync(CancellationToken cancellationToken)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var listening = ListenAsync(over);
        var beating = BeatAsync(over.Token);
        try
        {
            var part = await _inbox.Reader.ReadAsync(over.Token).ConfigureAwait(false);
            while (part.Kind == AgentMessageKind.Prepare)
            {
                part = await TakePartAsync(part, over.Token).ConfigureAwait(false);
            }
        }
        catch (Exception exception) when (exception is not (OperationCanceledException or ChannelClosedException))
        {
            await _channel.SendAsync(new(AgentMessageKind.Fail) { Text = exception.Message }, cancellationToken).ConfigureAwait(false);
            throw;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            await listening.ConfigureAwait(false);
            throw;
        }
        finally
        {
            await over.CancelAsync().ConfigureAwait(false);
            await Task.WhenAll(beating, listening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Makes one part.</summary>
    /// <returns>What the coordinator wants next: another part, or the end.</returns>
    private async Task<AgentMessage> TakePartAsync(AgentMessage given, CancellationToken cancellationToken)
    {
        using var interruption = new CancellationTokenSource();
        using var stop = new StopRequest();
        (_interruption, _stop) = (interruption, stop);
        var part = new AgentPart(given.Text!, given.Index, given.Of, WaitForIdleAsync, interruption.Token) { Secret = _secret };
        var load = await _resolve(part, cancellationToken).ConfigureAwait(false);
        await using (load.ConfigureAwait(false))
        {
            var (start, startedLateMs, cpu) = (0L, 0.0, 0.0);
            var options = load.Options with
            {
                Seed = part.Index + 1,
                Interruption = interruption.Token,
                Stop = stop,
                OnSeconds = seconds => Exchange(
                    before => before is null ? seconds : [.. before.Zip(seconds, (one, later) => one.Then(later))]),
                WaitForStart = async token =>
                {
                    await _channel.SendAsync(new(AgentMessageKind.Ready), token).ConfigureAwait(false);
                    start = StopwatchTime.FromNanoseconds(
                        (await NextAsync(AgentMessageKind.Start, token).ConfigureAwait(false)).Nanoseconds);
                    foreach (var tally in load.Tallies)
                    {
                        tally.BeginAt(start);
                        tally.WatchWindows();
                    }

                    _tallies = load.Tallies;

                    await PreciseWait.UntilAsync(start, token).ConfigureAwait(false);
                    (startedLateMs, cpu) = (StopwatchTime.ToMilliseconds(Stopwatch.GetTimestamp() - start), AgentClock.CpuSeconds());
                    return start;
                },
            };
            var shares = load.Scenarios.Select(scenario => scenario.ShareOf(part.Index, part.Of)).ToList();
            var result = await new LoadRunner().RunAsync(shares, options, cancellationToken).ConfigureAwait(false);
            var measured = AgentMeasurement.Of(result, startedLateMs) with
            {
                CpuSeconds = AgentClock.CpuSeconds() - cpu,
                PeakMemoryBytes = AgentClock.PeakMemoryBytes(),
                Operations = [.. load.Tallies.Select(tally => tally.ToParts(start))],
            };
            await _channel.SendAsync(
                new(AgentMessageKind.Result) { Measurement = measured, Seconds = Exchange(_ => null) }, cancellationToken)
                .ConfigureAwait(false);
            var next = await _inbox.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (next.Kind != AgentMessageKind.Conclude)
            {
                return next;
            }

            var heard = load.ConcludeAsync is null ? null : await load.ConcludeAsync(cancellationToken).ConfigureAwait(false);
            await _channel.SendAsync(new(AgentMessageKind.Concluded) { Events = heard }, cancellationToken).ConfigureAwait(false);
        }

        return await _inbox.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
    }

    private async Task<long> WaitForIdleAsync(CancellationToken cancellationToken)
    {
        await _channel.SendAsync(new(AgentMessageKind.Settled), cancellationToken).ConfigureAwait(false);
        var idle = await NextAsync(AgentMessageKind.Idle, cancellationToken).ConfigureAwait(false);
        return StopwatchTime.FromNanoseconds(idle.Nanoseconds);
    }

    private async Task<AgentMessage> NextAsync(AgentMessageKind kind, CancellationToken cancellationToken)
    {
        var message = await _inbox.Reader.ReadAsync(cancellationToken).ConfigureAwait(false);
        return message.Kind == kind
            ? message
            : throw new InvalidDataException($"it sent {message.Kind} where {kind} was due; is it of this version?");
    }

    /// <summary>Replies for the clocks, interrupts the load, and keeps what comes for whoever waits for it.</summary>
    private async Task ListenAsync(CancellationTokenSource over)
    {
        try
        {
            while (true)
            {
                var message = await _channel.ReceiveAsync(over.Token).ConfigureAwait(false);
                switch (message.Kind)
                {
                    case AgentMessageKind.Ping:
                        await _channel.SendAsync(
                            new(AgentMessageKind.Pong)
                            {
                                Nanoseconds = StopwatchTime.ToNanoseconds(Stopwatch.GetTimestamp()), UtcTicks = AgentClock.UtcTicks(),
                            },
                            over.Token).ConfigureAwait(false);
                        break;
                    case AgentMessageKind.Interrupt when message.Text is { } reason:
                        _stop?.Because(reason);
                        break;
                    case AgentMessageKind.Interrupt:
                        await (_interruption?.CancelAsync() ?? Task.CompletedTask).ConfigureAwait(false);
                        break;
                    case AgentMessageKind.End:
                        _inbox.Writer.TryWrite(message);
                        return;
                    default:
                        _inbox.Writer.TryWrite(message);
                        break;
                }
            }
        }
        catch (Exception exception)
        {
            _inbox.Writer.TryComplete(exception);
            await over.CancelAsync().ConfigureAwait(false);
            throw;
        }
    }

    private async Task BeatAsync(CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(Beat);
        while (await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false))
        {
            var alive = new AgentMessage(AgentMessageKind.Alive)
            {
                Seconds = Exchange(_ => null),
                Latencies = [.. _tallies.Select(tally => tally.TakeWindow())],
                Process = ProcessReading.Of(Environment.ProcessId),
            };
            await _channel.SendAsync(alive, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Puts something else in the place of what is still to be said of the load.</summary>
    /// <returns>What was there.</returns>
    private IReadOnlyList<ScenarioSeconds>? Exchange(Func<IReadOnlyList<ScenarioSeconds>?, IReadOnlyList<ScenarioSeconds>?> by)
    {
        lock (_gate)
        {
            var before = _unsaid;
            _unsaid = by(before);
            return before;
        }
    }
}

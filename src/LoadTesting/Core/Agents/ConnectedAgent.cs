using LoadTesting.Core.Load;

namespace LoadTesting.Core.Agents;

/// <summary>An agent that has proved itself, as its coordinator sees it. Every failure names it.</summary>
internal sealed class ConnectedAgent : IDisposable
{
    private readonly AgentChannel _channel;
    private readonly string _host;
    private readonly string _proof;
    private readonly TimeProvider _timeProvider;
    private long _clockOffset;
    private long _roundTrip = long.MaxValue;
    private TimeSpan _clockDifference;

    private ConnectedAgent(AgentChannel channel, AgentMessage join, string proof, TimeProvider timeProvider) =>
        (_channel, Name, _host, ProcessId, _proof, _timeProvider) =
            (channel, join.Name!, join.Host ?? "unknown", join.ProcessId, proof, timeProvider);

    public string Name { get; }

    public int ProcessId { get; }

    /// <summary>Whether it runs on this machine.</summary>
    public bool IsLocal { get; set; }

    /// <summary>What it measured; null until then.</summary>
    public AgentMeasurement? Measured { get; private set; }

    /// <summary>What it heard of the system; null until then.</summary>
    public AgentEvents? Heard { get; private set; }

    /// <summary>Lets an agent prove itself.</summary>
    /// <returns>The agent, or why it may not take part.</returns>
    public static async Task<(ConnectedAgent? Agent, string Problem)> GreetAsync(
        AgentChannel channel, string token, string[] taken, TimeSpan timeout, TimeProvider timeProvider,
        CancellationToken cancellationToken)
    {
        using var late = new CancellationTokenSource(timeout, timeProvider);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        var problem = "it did not join in time";
        try
        {
            var nonce = AgentChannel.Nonce();
            await channel.SendAsync(new(AgentMessageKind.Hello) { Nonce = nonce }, limit.Token).ConfigureAwait(false);
            var join = await channel.ReceiveAsync(limit.Token).ConfigureAwait(false);
            problem = !AgentChannel.IsProof(join.Proof, token, AgentCoordinator.AgentRole, nonce) ? "its token is another"
                : string.IsNullOrWhiteSpace(join.Name) ? "it has no name"
                : taken.Contains(join.Name) ? $"another agent is called '{join.Name}'; give each its own name"
                : "";
            if (problem.Length == 0)
            {
                channel.IsTrusted = true;
                var proof = AgentChannel.Proof(token, AgentCoordinator.CoordinatorRole, join.Nonce ?? "");
                return (new ConnectedAgent(channel, join, proof, timeProvider), "");
            }

            await channel.SendAsync(new(AgentMessageKind.Refuse) { Text = problem + "." }, limit.Token).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or InvalidDataException
            || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            problem = exception is OperationCanceledException ? problem : exception.Message;
        }

        channel.Dispose();
        return (null, problem);
    }

    public Task PrepareAsync(string description, int index, int of, CancellationToken cancellationToken) => NamingAsync(() =>
        _channel.SendAsync(
            new(AgentMessageKind.Prepare) { Text = description, Index = index, Of = of, Proof = _proof }, cancellationToken));

    /// <param name="timeout">How long it may prepare in all, however often it says that it is alive.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public async Task ReadyAsync(TimeSpan timeout, CancellationToken cancellationToken)
    {
        (Measured, Heard, _roundTrip) = (null, null, long.MaxValue);
        using var late = new CancellationTokenSource(timeout, _timeProvider);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            await ReceiveAsync(timeout, limit.Token, AgentMessageKind.Ready).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            throw new AgentException($"Agent '{Name}' on {_host} was not prepared within {timeout.TotalSeconds:0.#} s.");
        }
    }

    /// <summary>Of some round trips the fastest says most about the clocks.</summary>
    public async Task MeasureClockAsync(int rounds, TimeSpan timeout, CancellationToken cancellationToken)
    {
        for (var round = 0; round < rounds; round++)
        {
            var (sent, sentUtc) = (Stopwatch.GetTimestamp(), AgentClock.UtcTicks());
            await NamingAsync(() => _channel.SendAsync(new(AgentMessageKind.Ping), cancellationToken)).ConfigureAwait(false);
            var pong = await ReceiveAsync(timeout, cancellationToken, AgentMessageKind.Pong).ConfigureAwait(false);
            var took = StopwatchTime.ToNanoseconds(Stopwatch.GetTimestamp() - sent);
            if (took < _roundTrip)
            {
                _roundTrip = took;
                _clockOffset = pong.Nanoseconds - (StopwatchTime.ToNanoseconds(sent) + (took / 2));
                _clockDifference = TimeSpan.FromTicks(pong.UtcTicks - sentUtc - (took / 200));
            }
        }
    }

    /// <param name="start">The agreed instant, in Stopwatch ticks of this process.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public Task StartAsync(long start, CancellationToken cancellationToken) => NamingAsync(() => _channel.SendAsync(
        new(AgentMessageKind.Start) { Nanoseconds = StopwatchTime.ToNanoseconds(start) + _clockOffset }, cancellationToken));

    /// <summary>Its measurement; before that it may settle, as often as it has something to settle.</summary>
    /// <param name="silence">How long it may say nothing.</param>
    /// <param name="idle">Waits for the system to be idle, and gives that moment in Stopwatch ticks of this process.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public async Task ResultAsync(TimeSpan silence, Func<CancellationToken, Task<long>> idle, CancellationToken cancellationToken)
    {
        AgentMessage message;
        while ((message = await ReceiveAsync(silence, cancellationToken, AgentMessageKind.Result, AgentMessageKind.Settled)
            .ConfigureAwait(false)).Kind == AgentMessageKind.Settled)
        {
            var ticks = await idle(cancellationToken).ConfigureAwait(false);
            await NamingAsync(() => _channel.SendAsync(
                new(AgentMessageKind.Idle) { Nanoseconds = StopwatchTime.ToNanoseconds(ticks) + _clockOffset }, cancellationToken))
                .ConfigureAwait(false);
        }

        Measured = message.Measurement ?? throw new AgentException($"Agent '{Name}' on {_host} sent a result without figures.");
    }

    /// <summary>What it heard of the system, as far as it has not yet.</summary>
    public async Task ConcludeAsync(TimeSpan silence, CancellationToken cancellationToken)
    {
        await NamingAsync(() => _channel.SendAsync(new(AgentMessageKind.Conclude), cancellationToken)).ConfigureAwait(false);
        Heard = (await ReceiveAsync(silence, cancellationToken, AgentMessageKind.Concluded).ConfigureAwait(false)).Events
            ?? throw new AgentException($"Agent '{Name}' on {_host} listens to no events.");
    }

    public Task InterruptAsync(CancellationToken cancellationToken) =>
        NamingAsync(() => _channel.SendAsync(new(AgentMessageKind.Interrupt), cancellationToken));

    /// <summary>There is no more load for it; where it is gone already, nobody misses it.</summary>
    public async Task EndAsync()
    {
        try
        {
            await _channel.SendAsync(new(AgentMessageKind.End) { Proof = _proof }, CancellationToken.None).ConfigureAwait(false);
        }
        catch (IOException)
        {
            // It ended by itself after its last result, which is kept.
        }
    }

    public AgentResult Report() => new(
        Name, _host, _clockDifference.TotalMilliseconds, _roundTrip / 2e6, Measured!.StartedLateMs,
        Measured.Scenarios.Sum(scenario => scenario.Requested), Measured.Health.Verdict, Measured.Health.Process.CpuShare,
        Measured.CpuSeconds, Measured.PeakMemoryBytes);

    public void Dispose() => _channel.Dispose();

    /// <summary>The next message of one of those kinds; whoever says that it is alive has more time.</summary>
    private async Task<AgentMessage> ReceiveAsync(
        TimeSpan silence, CancellationToken cancellationToken, params AgentMessageKind[] kinds)
    {
        while (true)
        {
            using var late = new CancellationTokenSource(silence, _timeProvider);
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
            AgentMessage message;
            try
            {
                message = await _channel.ReceiveAsync(limit.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
            {
                throw new AgentException($"Agent '{Name}' on {_host} was silent for {silence.TotalSeconds:0.#} s; is it still there?");
            }
            catch (Exception exception) when (exception is IOException or InvalidDataException)
            {
                throw Died(exception);
            }

            if (kinds.Contains(message.Kind))
            {
                return message;
            }

            if (message.Kind != AgentMessageKind.Alive)
            {
                throw new AgentException(message.Kind == AgentMessageKind.Fail
                    ? $"Agent '{Name}' on {_host} failed: {message.Text}"
                    : $"Agent '{Name}' on {_host} sent {message.Kind} where {string.Join(" or ", kinds)} was due; is it of this version?");
            }
        }
    }

    private async Task NamingAsync(Func<Task> send)
    {
        try
        {
            await send().ConfigureAwait(false);
        }
        catch (IOException exception)
        {
            throw Died(exception);
        }
    }

    private AgentException Died(Exception exception) =>
        new($"Agent '{Name}' on {_host} died before its result: {exception.Message} Nothing of the run is kept.", exception);
}

/// <summary>What an agent reads of its own process.</summary>
internal static class AgentClock
{
    /// <summary>The wall clock, to compare with that of others: the one thing here that is not monotonic.</summary>
    public static long UtcTicks() => TimeProvider.System.GetUtcNow().Ticks;

    public static double CpuSeconds()
    {
        using var process = Process.GetCurrentProcess();
        return process.TotalProcessorTime.TotalSeconds;
    }

    public static long PeakMemoryBytes()
    {
        using var process = Process.GetCurrentProcess();
        return process.PeakWorkingSet64;
    }
}

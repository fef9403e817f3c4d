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

    private ConnectedAgent(AgentChannel channel, string name, string host, string proof, TimeProvider timeProvider) =>
        (_channel, Name, _host, _proof, _timeProvider) = (channel, name, host, proof, timeProvider);

    public string Name { get; }

    /// <summary>What it measured; null until then.</summary>
    public AgentMeasurement? Measured { get; private set; }

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
                return (new ConnectedAgent(channel, join.Name!, join.Host ?? "unknown", proof, timeProvider), "");
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
        using var late = new CancellationTokenSource(timeout, _timeProvider);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
        try
        {
            await ReceiveAsync(AgentMessageKind.Ready, timeout, limit.Token).ConfigureAwait(false);
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
            var pong = await ReceiveAsync(AgentMessageKind.Pong, timeout, cancellationToken).ConfigureAwait(false);
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

    public async Task ResultAsync(TimeSpan silence, CancellationToken cancellationToken) => Measured =
        (await ReceiveAsync(AgentMessageKind.Result, silence, cancellationToken).ConfigureAwait(false)).Measurement
        ?? throw new AgentException($"Agent '{Name}' on {_host} sent a result without figures.");

    public AgentReport Report() => new(
        Name, _host, _clockDifference.TotalMilliseconds, _roundTrip / 2e6, Measured!.StartedLateMs,
        Measured.Scenarios.Sum(scenario => scenario.Requested));

    public void Dispose() => _channel.Dispose();

    /// <summary>The next message of that kind; whoever says that it is alive has more time.</summary>
    private async Task<AgentMessage> ReceiveAsync(AgentMessageKind kind, TimeSpan silence, CancellationToken cancellationToken)
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

            if (message.Kind == kind)
            {
                return message;
            }

            if (message.Kind != AgentMessageKind.Alive)
            {
                throw new AgentException(message.Kind == AgentMessageKind.Fail
                    ? $"Agent '{Name}' on {_host} failed: {message.Text}"
                    : $"Agent '{Name}' on {_host} sent {message.Kind} where {kind} was due; is it of this version?");
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

/// <summary>The wall clock, to compare with that of others: the one thing here that is not monotonic.</summary>
internal static class AgentClock
{
    public static long UtcTicks() => TimeProvider.System.GetUtcNow().Ticks;
}

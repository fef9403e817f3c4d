namespace LoadTesting.Core.Agents;

/// <summary>An agent that has proved itself, as its coordinator sees it. Every failure names it.</summary>
internal sealed class ConnectedAgent : IDisposable
{
    private readonly AgentChannel _channel;
    private readonly string _host;
    private readonly TimeProvider _timeProvider;
    private long _clockOffset;
    private long _roundTrip = long.MaxValue;
    private TimeSpan _clockDifference;

    /// <param name="channel">Its connection, which it owns from now on.</param>
    /// <param name="join">How it introduced itself, with a name.</param>
    /// <param name="timeProvider">Timer of what it is waited for.</param>
    public ConnectedAgent(AgentChannel channel, AgentMessage join, TimeProvider timeProvider) =>
        (_channel, Name, _host, ProcessId, _timeProvider) = (channel, join.Name!, join.Host ?? "unknown", join.ProcessId, timeProvider);

    public string Name { get; }

    public int ProcessId { get; }

    /// <summary>Whether it runs on this machine.</summary>
    public required bool IsLocal { get; init; }

    /// <summary>Is given what its load has come to, about once a second; null: nobody is.</summary>
    public Action<AgentMessage>? Report { get; set; }

    /// <summary>What its process held when it last said so; null before that.</summary>
    public ProcessReading? Process { get; private set; }

    /// <summary>What it measured; null until then.</summary>
    public AgentMeasurement? Measured { get; private set; }

    /// <summary>What it heard of the system; null until then.</summary>
    public AgentEvents? Heard { get; private set; }

    public Task PrepareAsync(string description, int index, int of, CancellationToken cancellationToken) => NamingAsync(() =>
        _channel.SendAsync(
            new(AgentMessageKind.Prepare) { Text = description, Index = index, Of = of }, cancellationToken));

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

    /// <param name="reason">What a rule of the load says; null where somebody interrupts it.</param>
    /// <param name="cancellationToken">Ends the run.</param>
    public Task InterruptAsync(string? reason, CancellationToken cancellationToken) =>
        NamingAsync(() => _channel.SendAsync(new(AgentMessageKind.Interrupt) { Text = reason }, cancellationToken));

    /// <summary>There is no more load for it; where it is gone already, nobody misses it.</summary>
    public async Task EndAsync()
    {
        try
        {
            await _channel.SendAsync(new(AgentMessageKind.End), CancellationToken.None).ConfigureAwait(false);
        }
        catch (IOException)
        {
            // It ended by itself after its last result, which is kept.
        }
    }

    public AgentResult ToResult() => new(
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

            Process = message.Process ?? Process;
            Report?.Invoke(message);

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

/// <summary>
/// Lets those who connect prove themselves, all at the same time: who says nothing, or something else, delays nobody. It is bounded in
/// number, in time and, by the channel, in bytes.
/// </summary>
internal sealed class AgentReception(TcpListener listener, CoordinatorOptions options)
{
    /// <summary>Connections that have not proved themselves; where one more comes, the oldest of them has to go.</summary>
    internal const int MostAtOnce = 64;

    /// <summary>An agent on a busy machine takes seconds.</summary>
    internal static readonly TimeSpan HandshakeTimeout = TimeSpan.FromSeconds(20);

    private const string NotInTime = "it did not join in time";

    private readonly List<Visitor> _visitors = [];
    private readonly List<ConnectedAgent> _agents = [];
    private int _joined;
    private int _refused;
    private string _lastRefusal = "";

    /// <summary>Agents that have proved themselves.</summary>
    public int Joined => Volatile.Read(ref _joined);

    /// <summary>Waits until all agents have come.</summary>
    /// <returns>They, in the order of their names, whoever came first.</returns>
    /// <exception cref="AgentException">They did not in time; the message names those that have come.</exception>
    public async Task<IReadOnlyList<ConnectedAgent>> ReceiveAsync(CancellationToken cancellationToken)
    {
        using var limit = new CancellationTokenSource(options.JoinTimeout, options.TimeProvider);
        using var over = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, cancellationToken);
        var accepting = listener.AcceptSocketAsync(over.Token).AsTask();
        try
        {
            while (_agents.Count < options.Agents)
            {
                var joining = _visitors.Select(visitor => (Task)visitor.Joining);
                var ended = await Task.WhenAny(joining.Prepend(accepting)).ConfigureAwait(false);
                if (ended != accepting)
                {
                    await AnswerAsync(_visitors.Single(visitor => visitor.Joining == ended), over.Token).ConfigureAwait(false);
                    continue;
                }

                _visitors.Add(new Visitor(await accepting.ConfigureAwait(false), options, over.Token));
                accepting = listener.AcceptSocketAsync(over.Token).AsTask();
                if (_visitors.Count > MostAtOnce)
                {
                    Refuse(_visitors[0], $"it had not joined when {MostAtOnce} others came");
                }
            }

            RefuseAll("all agents have come");
            return [.. _agents.OrderBy(agent => agent.Name, StringComparer.Ordinal)];
        }
        catch (Exception exception)
        {
            _agents.ForEach(agent => agent.Dispose());
            if (exception is not OperationCanceledException || cancellationToken.IsCancellationRequested)
            {
                throw;
            }

            RefuseAll(NotInTime);
            throw new AgentException(
                $"{_agents.Count} of {options.Agents} agents came within {options.JoinTimeout.TotalSeconds:0.#} s"
                + (_agents.Count == 0 ? "" : $": {string.Join(", ", _agents.Select(agent => agent.Name))}")
                + (_refused == 0 ? "." : $"; {_refused} were refused, the last one, {_lastRefusal}."));
        }
        finally
        {
            await over.CancelAsync().ConfigureAwait(false);
            _visitors.ForEach(visitor => visitor.Dispose());
            await ((Task)accepting).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (accepting.IsCompletedSuccessfully)
            {
                (await accepting.ConfigureAwait(false)).Dispose();
            }
        }
    }

    /// <summary>It has introduced itself, or was not heard out.</summary>
    private async Task AnswerAsync(Visitor visitor, CancellationToken cancellationToken)
    {
        var (join, problem) = await visitor.Joining.ConfigureAwait(false);
        problem = problem.Length == 0 && _agents.Exists(agent => agent.Name == join!.Name)
            ? $"another agent is called '{join!.Name}'; give each its own name"
            : problem;
        try
        {
            // Nobody is waited for: what has been sent to it before is one short message, and this one fits beside it.
            if (problem.Length == 0)
            {
                var proof = AgentChannel.Proof(options.Token, AgentCoordinator.CoordinatorRole, join!.Nonce ?? "");
                await visitor.Channel.SendAsync(new(AgentMessageKind.Welcome) { Proof = proof }, cancellationToken).ConfigureAwait(false);
                visitor.Channel.IsTrusted = true;
                _visitors.Remove(visitor);
                _agents.Add(new ConnectedAgent(visitor.Channel, join, options.TimeProvider) { IsLocal = visitor.IsLocal });
                Volatile.Write(ref _joined, _agents.Count);
                return;
            }

            if (join is not null)
            {
                await visitor.Channel.SendAsync(
                    new(AgentMessageKind.Refuse) { Text = problem + "." }, cancellationToken).ConfigureAwait(false);
            }
        }
        catch (IOException exception)
        {
            problem = problem.Length == 0 ? exception.Message : problem;
        }

        Refuse(visitor, problem);
    }

    private void RefuseAll(string because)
    {
        while (_visitors.Count > 0)
        {
            Refuse(_visitors[0], because);
        }
    }

    private void Refuse(Visitor visitor, string because)
    {
        _visitors.Remove(visitor);
        visitor.Dispose();
        _lastRefusal = $"{visitor.Address}, because {because}";
        _refused++;
        options.Refused?.Invoke($"{visitor.Address} was refused: {because}.");
    }

    /// <summary>Somebody who has connected and is not known yet. Disposing it closes the connection.</summary>
    private sealed class Visitor : IDisposable
    {
        public Visitor(Socket socket, CoordinatorOptions options, CancellationToken cancellationToken)
        {
            socket.NoDelay = true;
            var (here, there) = ((IPEndPoint)socket.LocalEndPoint!, (IPEndPoint)socket.RemoteEndPoint!);
            (Address, IsLocal) = ($"{there}", IPAddress.IsLoopback(there.Address) || there.Address.Equals(here.Address));
            Channel = new AgentChannel(socket);
            Joining = JoinAsync(options, cancellationToken);
        }

        public string Address { get; }

        /// <summary>Whether it is on this machine.</summary>
        public bool IsLocal { get; }

        public AgentChannel Channel { get; }

        /// <summary>How it introduced itself, null where it did not, and why it may not take part, empty where it may.</summary>
        public Task<(AgentMessage? Join, string Problem)> Joining { get; }

        public void Dispose() => Channel.Dispose();

        private async Task<(AgentMessage? Join, string Problem)> JoinAsync(CoordinatorOptions options, CancellationToken cancellationToken)
        {
            using var late = new CancellationTokenSource(HandshakeTimeout, options.TimeProvider);
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(late.Token, cancellationToken);
            try
            {
                var nonce = AgentChannel.Nonce();
                await Channel.SendAsync(new(AgentMessageKind.Hello) { Nonce = nonce }, limit.Token).ConfigureAwait(false);
                var join = await Channel.ReceiveAsync(limit.Token).ConfigureAwait(false);
                return (
                    join,
                    !AgentChannel.IsProof(join.Proof, options.Token, AgentCoordinator.AgentRole, nonce) ? "its token is another"
                        : string.IsNullOrWhiteSpace(join.Name) ? "it has no name"
                        : "");
            }
            catch (OperationCanceledException)
            {
                return (null, NotInTime);
            }
            catch (Exception exception) when (exception is IOException or InvalidDataException or ObjectDisposedException)
            {
                return (null, exception.Message);
            }
        }
    }
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

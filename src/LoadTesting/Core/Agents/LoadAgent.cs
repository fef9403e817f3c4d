using System.Net.Sockets;
using LoadTesting.Core.Load;

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

/// <summary>
/// One of several processes that share a load: it connects to the coordinator, prepares its part, starts at the agreed instant and hands
/// over all that it measured.
/// </summary>
public static class LoadAgent
{
    private static readonly TimeSpan Retry = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan Beat = TimeSpan.FromSeconds(1);

    /// <summary>Takes part in one run.</summary>
    /// <param name="options">Where the coordinator is.</param>
    /// <param name="resolve">Makes the whole load of what the coordinator calls it; the same as the coordinator's.</param>
    /// <param name="cancellationToken">Ends the agent, and with it the run.</param>
    /// <exception cref="AgentException">The coordinator cannot be reached, refuses this agent, or ended before the result.</exception>
    public static async Task RunAsync(
        AgentOptions options, Func<string, IReadOnlyList<ScenarioProps>> resolve, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(resolve);
        AgentCoordinator.RequireToken(options.Token);
        using var channel = new AgentChannel(await ConnectAsync(options, cancellationToken).ConfigureAwait(false));
        try
        {
            var part = await JoinAsync(options, channel, cancellationToken).ConfigureAwait(false);
            await TakePartAsync(channel, part, resolve, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException or SocketException or InvalidDataException)
        {
            throw new AgentException($"The coordinator at {options.Host}:{options.Port} ended the run: {exception.Message}", exception);
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

    private static async Task<AgentMessage> JoinAsync(AgentOptions options, AgentChannel channel, CancellationToken cancellationToken)
    {
        var hello = await channel.ReceiveAsync(cancellationToken).ConfigureAwait(false);
        var nonce = AgentChannel.Nonce();
        await channel.SendAsync(
            new(AgentMessageKind.Join)
            {
                Name = options.Name, Host = Environment.MachineName, Nonce = nonce,
                Proof = AgentChannel.Proof(options.Token, AgentCoordinator.AgentRole, hello.Nonce ?? ""),
            },
            cancellationToken).ConfigureAwait(false);
        var answer = await channel.ReceiveAsync(cancellationToken).ConfigureAwait(false);
        if (answer.Kind == AgentMessageKind.Refuse)
        {
            throw new AgentException($"The coordinator refused agent '{options.Name}': {answer.Text}");
        }

        channel.IsTrusted = AgentChannel.IsProof(answer.Proof, options.Token, AgentCoordinator.CoordinatorRole, nonce);
        return channel.IsTrusted && answer.Kind == AgentMessageKind.Prepare
            ? answer
            : throw new AgentException($"What listens at {options.Host}:{options.Port} does not know the token; is it the coordinator?");
    }

    private static async Task TakePartAsync(
        AgentChannel channel, AgentMessage part, Func<string, IReadOnlyList<ScenarioProps>> resolve, CancellationToken cancellationToken)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var began = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        var listening = ListenAsync(channel, began, over);
        var beating = BeatAsync(channel, over.Token);
        try
        {
            var startedLateMs = 0.0;
            var options = new LoadOptions
            {
                Seed = part.Index + 1,
                WaitForStart = async token =>
                {
                    await channel.SendAsync(new(AgentMessageKind.Ready), token).ConfigureAwait(false);
                    var start = await began.Task.WaitAsync(token).ConfigureAwait(false);
                    await PreciseWait.UntilAsync(start, token).ConfigureAwait(false);
                    startedLateMs = StopwatchTime.ToMilliseconds(Stopwatch.GetTimestamp() - start);
                },
            };
            var whole = resolve(part.Text!);
            var load = await new LoadRunner().RunAsync(
                [.. whole.Select(scenario => scenario.ShareOf(part.Index, part.Of))], options, over.Token).ConfigureAwait(false);
            await channel.SendAsync(
                new(AgentMessageKind.Result) { Measurement = AgentMeasurement.Of(load, startedLateMs) }, over.Token).ConfigureAwait(false);

            // The coordinator hangs up once it has the result: until then it must find its agent alive.
            await listening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            await channel.SendAsync(new(AgentMessageKind.Fail) { Text = exception.Message }, cancellationToken).ConfigureAwait(false);
            throw;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested && listening.IsCompleted)
        {
            await listening.ConfigureAwait(false);
            throw;
        }
        finally
        {
            await over.CancelAsync().ConfigureAwait(false);
            await beating.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Answers for the clocks, takes the start, and ends the run with the connection.</summary>
    private static async Task ListenAsync(AgentChannel channel, TaskCompletionSource<long> began, CancellationTokenSource over)
    {
        try
        {
            while (true)
            {
                var message = await channel.ReceiveAsync(over.Token).ConfigureAwait(false);
                switch (message.Kind)
                {
                    case AgentMessageKind.Ping:
                        await channel.SendAsync(
                            new(AgentMessageKind.Pong)
                            {
                                Nanoseconds = StopwatchTime.ToNanoseconds(Stopwatch.GetTimestamp()), UtcTicks = AgentClock.UtcTicks(),
                            },
                            over.Token).ConfigureAwait(false);
                        break;
                    case AgentMessageKind.Start:
                        began.TrySetResult(StopwatchTime.FromNanoseconds(message.Nanoseconds));
                        break;
                    default:
                        throw new IOException(message.Text ?? $"it sent {message.Kind}");
                }
            }
        }
        finally
        {
            await over.CancelAsync().ConfigureAwait(false);
        }
    }

    private static async Task BeatAsync(AgentChannel channel, CancellationToken cancellationToken)
    {
        using var timer = new PeriodicTimer(Beat);
        while (await timer.WaitForNextTickAsync(cancellationToken).ConfigureAwait(false))
        {
            await channel.SendAsync(new(AgentMessageKind.Alive), cancellationToken).ConfigureAwait(false);
        }
    }
}

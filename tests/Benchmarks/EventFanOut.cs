using System.Net;
using System.Net.Sockets;
using LoadTesting.Core.Http;
using LoadTesting.Core.Http.Streams;
using LoadTesting.Core.Load;
using LoadTesting.Core.Results;
using PerformanceTesting.Subjects.Streams;

namespace Benchmarks;

/// <summary>
/// How long a publication takes to 5,000 event streams of the service (memory store), beside bare sockets: a loop that sends a little less
/// to as many connections, and the loop that also reads the streams. What bare sockets take is the kernel's part: nobody is faster.
/// </summary>
internal static class EventFanOut
{
    private const int Clients = 5_000;
    private const int DeliveriesPerSecond = 4_000;
    private const string Service = "event streams";
    private const string Bare = "bare sockets";
    private const string Share = "p99 of event streams over bare sockets";

    /// <summary>Less than a frame of a registered definition takes, some 650: it favours the bare sockets.</summary>
    private const int FrameBytes = 512;

    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds((double)Clients / DeliveriesPerSecond);

    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        if (!EpollLoops.IsSupported)
        {
            throw new InvalidOperationException("event-fan-out needs Linux of 64 bits: elsewhere the streams are read in another way.");
        }

        new StreamLimits().Check(3 * Clients); // Of the streams, and both ends of the bare sockets.
        var rounds = new Rounds($"a publication every {s_interval.TotalSeconds} s to {Clients:N0} connections, {FrameBytes} bytes each");
        await using var subject = await StreamSubject.StartAsync(
            "memory", Clients, new Dictionary<string, string>(StringComparer.Ordinal), cancellationToken);
        var publications = Math.Max(1, (int)(options.Duration / s_interval));
        await subject.WarmUpAsync(() => PublishAsync(Simulation.IterationsForConstant(1, 100), first: 0));
        subject.BeginMeasuring();
        using var sockets = await BareFanOut.ConnectAsync(Clients, FrameBytes, cancellationToken);
        _ = sockets.Send(publications, TimeSpan.Zero);
        for (var round = 0; round < options.Rounds; round++)
        {
            await ForeignLoad.WaitForQuietAsync(options.WaitForQuiet, cancellationToken);
            var bare = sockets.Send(publications, s_interval);
            await subject.OpenAsync(cancellationToken);
            await PublishAsync(Simulation.IterationsForInject(1, s_interval, publications), (long)round * publications);
            var streams = subject.Streams.Result();
            if (streams.Checks().FirstOrDefault(check => check.Outcome != CheckOutcome.Passed) is { } failed)
            {
                throw new InvalidOperationException($"{failed.Name}: {failed.Reason}, so there is no time.");
            }

            Add(Bare, bare);
            Add(Service, streams.Propagation);
            rounds.Add(Share, streams.Propagation.PercentileMs(99) / bare.PercentileMs(99));
        }

        rounds.Print();
        Rounds.Target(Share, rounds.Median(Share), 1.5, atLeast: false);

        void Add(string name, LatencyHistogram times)
        {
            rounds.Add($"{name}, publication to each client, p50 ms", times.PercentileMs(50));
            rounds.Add($"{name}, publication to each client, p99 ms", times.PercentileMs(99));
        }

        async Task PublishAsync(LoadSimulation load, long first)
        {
            var scenario = Scenario.Create("publish", context => PublishOneAsync(context, first + context.IterationNumber))
                .WithMaxFailCount(0).WithLoadSimulations(load);
            var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), cancellationToken);
            if (result.Scenarios[0].Errors is [var error, ..])
            {
                throw new InvalidOperationException($"A publication failed, so there is no time: {error.Code} {error.Message}");
            }
        }

        async Task<IResponse> PublishOneAsync(IScenarioContext context, long number)
        {
            var publication = subject.Streams.FanOut.Publish(number);
            var reply = await subject.PublishAsync(context, number);
            if (reply.Status != 201)
            {
                return Response.Fail($"{reply.Status}", Encoding.UTF8.GetString(reply.Body.Span));
            }

            await publication.Everywhere.WaitAsync(cancellationToken);
            return Response.Ok();
        }
    }
}

/// <summary>Connections within this process, each with a reader in the loop of the lean sender.</summary>
internal sealed class BareFanOut : IDisposable
{
    private readonly EpollLoops _loops = EpollLoops.Start();
    private readonly List<Socket> _accepted = [];
    private readonly byte[] _frame;
    private LatencyRecorder _times = new();
    private int _arrived;

    private BareFanOut(int frameBytes) => _frame = new byte[frameBytes];

    public static async Task<BareFanOut> ConnectAsync(int connections, int frameBytes, CancellationToken cancellationToken)
    {
        var fanOut = new BareFanOut(frameBytes);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start(connections);
        for (var i = 0; i < connections; i++)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            var wire = fanOut._loops.ConnectAsync(socket, (IPEndPoint)listener.LocalEndpoint, cancellationToken);
            var accepted = await listener.AcceptSocketAsync(cancellationToken);
            accepted.NoDelay = true;
            fanOut._accepted.Add(accepted);
            _ = fanOut.ReadAsync(await wire);
        }

        return fanOut;
    }

    /// <summary>Sends a frame with the time in it to all connections, so many times, and waits until all have come.</summary>
    public LatencyHistogram Send(int frames, TimeSpan interval)
    {
        (_times, _arrived) = (new LatencyRecorder(), 0);
        var start = Stopwatch.GetTimestamp();
        var wait = new PreciseWait(new object(), () => false);
        for (var frame = 0; frame < frames; frame++)
        {
            wait.Until(start + StopwatchTime.FromTimeSpan(frame * interval));
            BitConverter.TryWriteBytes(_frame, Stopwatch.GetTimestamp());
            foreach (var socket in _accepted)
            {
                socket.Send(_frame);
            }

            var all = (frame + 1) * _accepted.Count;
            if (!SpinWait.SpinUntil(() => Volatile.Read(ref _arrived) == all, TimeSpan.FromSeconds(10)))
            {
                throw new InvalidOperationException($"{_arrived} of {all} frames have come within 10 s.");
            }
        }

        return _times.Snapshot();
    }

    public void Dispose()
    {
        _accepted.ForEach(socket => socket.Dispose());
        _loops.Dispose();
    }

    private async Task ReadAsync(EpollWire wire)
    {
        using (wire)
        {
            var buffer = new byte[_frame.Length];
            for (var filled = 0; ;)
            {
                var received = await wire.ReceiveAsync(buffer.AsMemory(filled));
                if (received == 0)
                {
                    return;
                }

                filled = (filled + received) % buffer.Length;
                if (filled == 0)
                {
                    _times.RecordStopwatchTicks(Stopwatch.GetTimestamp() - BitConverter.ToInt64(buffer));
                    Interlocked.Increment(ref _arrived);
                }
            }
        }
    }
}

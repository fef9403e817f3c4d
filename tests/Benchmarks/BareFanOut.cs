using System.Net;
using System.Net.Sockets;
using LoadTesting.Core.Http;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Histograms;
using LoadTesting.Core.Load.Pacing;

namespace Benchmarks;

/// <summary>Connections within this process, each with a reader in the loop of the lean sender.</summary>
internal sealed class BareFanOut : IDisposable
{
    private readonly EpollLoops _loops = EpollLoops.Start();
    private readonly List<Socket> _accepted = [];
    private readonly byte[] _frame;
    private LatencyRecorder _times = new();
    private int _arrived;

    private BareFanOut(int frameBytes) => _frame = new byte[frameBytes];

    public static async Task<BareFanOut> ConnectAsync(
        int connections, int frameBytes, CancellationToken cancellationToken)
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

    /// <summary>
    /// Sends a frame with the time in it to all connections the given number of times and waits until all have arrived.
    /// </summary>
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

namespace LoadTesting.Core.Load.Health;

/// <summary>
/// Measures the delay of the thread pool. Each tick queues a work item, sends a byte over a loopback connection, and
/// records the time until pool threads have handled both. Every continuation of the load has this delay, and a closed
/// load counts it as service time. Socket completions have their own queue in the runtime, which work items do not
/// pass; the byte measures that queue. A byte is sent only if none is in transit; ticks in between wait for the same
/// byte. Used by one thread.
/// </summary>
internal sealed class PoolProbe : IDisposable
{
    private readonly LoadSamples _samples;
    private readonly Socket _sender;
    private readonly Queue<Item> _open = new();
    private readonly ConcurrentQueue<Item> _sent = new();
    private int _isUnderWay;

    internal PoolProbe(LoadSamples samples)
    {
        _samples = samples;
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        _sender = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true, LingerState = new(enable: true, seconds: 0),
        };
        _sender.Connect(listener.LocalEndPoint!);
        _ = ReceiveAsync(listener.Accept());
    }

    internal void Queue()
    {
        while (_open.TryPeek(out var oldest) && oldest.HasEnded)
        {
            _open.Dequeue();
        }

        var item = new Item(_samples);
        _open.Enqueue(item);
        ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false);
        _sent.Enqueue(item);
        if (Interlocked.Exchange(ref _isUnderWay, 1) == 0)
        {
            _sender.Send([0]);
        }
    }

    /// <summary>Ends all open items now.</summary>
    internal void Stop()
    {
        foreach (var item in _open)
        {
            item.End();
        }
    }

    /// <summary>Resets the connection, which ends its reader.</summary>
    public void Dispose() => _sender.Dispose();

    private async Task ReceiveAsync(Socket receiver)
    {
        using var own = receiver;
        var buffer = new byte[1];
        try
        {
            while (await receiver.ReceiveAsync(buffer.AsMemory()).ConfigureAwait(false) > 0)
            {
                Volatile.Write(ref _isUnderWay, 0);
                while (_sent.TryDequeue(out var item))
                {
                    item.Execute();
                }
            }
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The probe has ended.
        }
    }

    /// <summary>Executed twice: as a work item, and when its byte was received.</summary>
    private sealed class Item(LoadSamples samples) : IThreadPoolWorkItem
    {
        private readonly long _queuedAt = Stopwatch.GetTimestamp();
        private int _executions;
        private int _hasEnded;

        internal bool HasEnded => Volatile.Read(ref _hasEnded) != 0;

        public void Execute()
        {
            if (Interlocked.Increment(ref _executions) == 2)
            {
                End();
            }
        }

        internal void End()
        {
            if (Interlocked.Exchange(ref _hasEnded, 1) == 0)
            {
                samples.AddPoolDelay(_queuedAt, Stopwatch.GetTimestamp());
            }
        }
    }
}

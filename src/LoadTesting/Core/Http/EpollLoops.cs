using System.Buffers.Binary;
using System.Threading.Tasks.Sources;

namespace LoadTesting.Core.Http;

/// <summary>
/// Threads that wait for responses on many connections at once (epoll(7), edge-triggered) and go on with whoever waits for one, without a
/// handover to the thread pool. What the runtime's sockets cost beside that: a receive that finds nothing, a queue, a second thread.
/// </summary>
internal sealed class EpollLoops : IDisposable
{
    private const int MostLoops = 8;
    private readonly EpollLoop[] _loops;
    private int _next;

    private EpollLoops(EpollLoop[] loops) => _loops = loops;

    /// <summary>Linux of 64 bits.</summary>
    internal static bool IsSupported { get; } = OperatingSystem.IsLinux() && Environment.Is64BitProcess;

    internal TimeSpan LongestHold => _loops.Max(loop => loop.LongestHold);

    /// <summary>Half the processors wait: the others are for the rest of the generator, or for a server beside it.</summary>
    internal static EpollLoops Start() =>
        new([.. Enumerable.Range(0, Math.Clamp(Environment.ProcessorCount / 2, 1, MostLoops)).Select(_ => new EpollLoop())]);

    /// <summary>Connects without blocking a thread; the socket is the wire's from then on.</summary>
    /// <exception cref="SocketException">Refused, or not reachable.</exception>
    internal Task<EpollWire> ConnectAsync(Socket socket, IPEndPoint endpoint, CancellationToken cancellationToken) =>
        _loops[(uint)Interlocked.Increment(ref _next) % (uint)_loops.Length].ConnectAsync(socket, endpoint, cancellationToken);

    public void Dispose()
    {
        foreach (var loop in _loops)
        {
            loop.Dispose();
        }
    }
}

/// <summary>One thread, and the connections that it watches.</summary>
internal sealed class EpollLoop : IDisposable
{
    private const int AddToSet = 1;
    private const int CloseOnExec = 0x80000;
    private const int Interrupted = 4;
    private const int EventsAtATime = 256;
    private const int StopCheckMs = 200;

    // The kernel's epoll_event is packed on x86 only.
    private static readonly int s_dataAt = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;
    private static readonly int s_size = s_dataAt + 8;

    private readonly Lock _gate = new();
    private readonly Stack<int> _free = new();
    private readonly int _poll;
    private volatile EpollWire?[] _wires = new EpollWire?[64];
    private int _used;
    private uint _generation;
    private long _longestHold;
    private volatile bool _isStopped;

    internal EpollLoop()
    {
        _poll = NativeCreate(CloseOnExec);
        if (_poll < 0)
        {
            throw new IOException($"epoll_create1 failed with error {Marshal.GetLastPInvokeError()}: too many open files?");
        }

        new Thread(Run) { IsBackground = true, Name = "lean-http" }.Start();
    }

    internal TimeSpan LongestHold => Stopwatch.GetElapsedTime(0, Volatile.Read(ref _longestHold));

    internal async Task<EpollWire> ConnectAsync(Socket socket, IPEndPoint endpoint, CancellationToken cancellationToken)
    {
        socket.Blocking = false;
        try
        {
            // Not ConnectAsync: the runtime's own loop would be woken by every response from then on as well.
            socket.Connect(endpoint);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.WouldBlock)
        {
            // Under way: the first event says that it has ended.
        }

        var wire = new EpollWire(this, socket);
        try
        {
            Watch(wire, (int)socket.Handle);
            await wire.Connected.WaitAsync(cancellationToken).ConfigureAwait(false);
            var error = (int)socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error)!;
            return error == 0 ? wire : throw new SocketException(error);
        }
        catch
        {
            wire.Dispose();
            throw;
        }
    }

    /// <summary>Watches no more; closing the socket takes it out of the kernel's set.</summary>
    internal void Forget(EpollWire wire)
    {
        lock (_gate)
        {
            var slot = (int)(uint)wire.Key;
            if (wire.Key != 0 && _wires[slot] == wire)
            {
                _wires[slot] = null;
                _free.Push(slot);
            }
        }
    }

    /// <summary>Ends the thread once nothing happens any more.</summary>
    public void Dispose() => _isStopped = true;

    private void Watch(EpollWire wire, int descriptor)
    {
        lock (_gate)
        {
            if (!_free.TryPop(out var slot))
            {
                slot = _used++;
                if (slot == _wires.Length)
                {
                    var more = new EpollWire?[2 * slot];
                    _wires.CopyTo(more, 0);
                    _wires = more;
                }
            }

            // The generation keeps an event of a closed connection from the one that has its slot now.
            wire.Key = ((ulong)++_generation << 32) | (uint)slot;
            _wires[slot] = wire;
        }

        var wanted = new byte[s_size];
        BinaryPrimitives.WriteUInt32LittleEndian(wanted, EpollWire.Watched);
        BinaryPrimitives.WriteUInt64LittleEndian(wanted.AsSpan(s_dataAt), wire.Key);
        if (NativeControl(_poll, AddToSet, descriptor, wanted) != 0)
        {
            throw new IOException($"epoll_ctl failed with error {Marshal.GetLastPInvokeError()}.");
        }
    }

    private void Run()
    {
        var events = GC.AllocateUninitializedArray<byte>(EventsAtATime * s_size, pinned: true);
        for (var count = 1; count != 0 || !_isStopped;)
        {
            count = NativeWait(_poll, events, EventsAtATime, StopCheckMs);
            if (count < 0 && Marshal.GetLastPInvokeError() != Interrupted)
            {
                throw new IOException($"epoll_wait failed with error {Marshal.GetLastPInvokeError()}.");
            }

            var before = Stopwatch.GetTimestamp();
            for (var index = 0; index < count; index++)
            {
                var one = events.AsSpan(index * s_size, s_size);
                var key = BinaryPrimitives.ReadUInt64LittleEndian(one[s_dataAt..]);
                if (_wires[(int)(uint)key] is { } wire && wire.Key == key)
                {
                    wire.OnEvent(BinaryPrimitives.ReadUInt32LittleEndian(one));
                }

                var now = Stopwatch.GetTimestamp();
                if (now - before > _longestHold)
                {
                    Volatile.Write(ref _longestHold, now - before);
                }

                before = now;
            }
        }

        _ = NativeClose(_poll);
    }

    [DllImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeCreate(int flags);

    [DllImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeControl(int poll, int operation, int descriptor, byte[] wanted);

    [DllImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeWait(int poll, [In, Out] byte[] events, int most, int timeoutMs);

    [DllImport("libc", EntryPoint = "close", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int NativeClose(int descriptor);
}

/// <summary>
/// A non-blocking socket that a loop watches. Its state is one word: nothing waits and nothing came; somebody waits; something came. A
/// receive that fills less than its buffer has emptied the socket, so the next one waits without asking the kernel first.
/// </summary>
internal sealed class EpollWire(EpollLoop loop, Socket socket) : Wire, IValueTaskSource<int>
{
    internal const uint Watched = In | Out | PeerClosed | EdgeTriggered;

    private const uint In = 1;
    private const uint Out = 4;
    private const uint Error = 8;
    private const uint HungUp = 16;
    private const uint PeerClosed = 0x2000;
    private const uint EdgeTriggered = 1u << 31;

    private const int Idle = 0;
    private const int Waiting = 1;
    private const int Ready = 2;

    private static readonly TimeSpan s_sendCheck = TimeSpan.FromMilliseconds(50);

    private readonly TaskCompletionSource _connected = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ManualResetValueTaskSourceCore<int> _receive;
    private Memory<byte> _buffer;
    private int _state;
    private volatile bool _hasEnded;

    /// <summary>Where the loop finds it; 0 before it is watched.</summary>
    internal ulong Key { get; set; }

    /// <summary>Ends when connecting has ended, either way.</summary>
    internal Task Connected => _connected.Task;

    internal override ValueTask<int> ReceiveAsync(Memory<byte> buffer)
    {
        while (true)
        {
            if (Volatile.Read(ref _state) == Idle)
            {
                _receive.Reset();
                _buffer = buffer;
                if (Interlocked.CompareExchange(ref _state, Waiting, Idle) == Idle)
                {
                    return new ValueTask<int>(this, _receive.Version);
                }
            }

            // From here on a new event counts; what came before it is received now.
            Interlocked.Exchange(ref _state, Idle);
            var received = Receive(buffer, out var error);
            if (error == SocketError.Success)
            {
                if (received == buffer.Length || _hasEnded)
                {
                    Interlocked.Exchange(ref _state, Ready);
                }

                return new ValueTask<int>(received);
            }

            if (error != SocketError.WouldBlock)
            {
                return ValueTask.FromException<int>(new SocketException((int)error));
            }
        }
    }

    internal override ValueTask SendAsync(ReadOnlyMemory<byte> data)
    {
        var sent = socket.Send(data.Span, SocketFlags.None, out var error);
        return error == SocketError.Success && sent == data.Length ? default
            : error is SocketError.Success or SocketError.WouldBlock ? SendRestAsync(data[sent..])
            : ValueTask.FromException(new SocketException((int)error));
    }

    /// <summary>The loop sees the end of both directions, as if the server had closed them.</summary>
    internal override void Abort()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The connection is gone already, and whoever waits is notified of that.
        }
    }

    public override void Dispose()
    {
        loop.Forget(this);
        socket.Dispose();
    }

    int IValueTaskSource<int>.GetResult(short token) => _receive.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _receive.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _receive.OnCompleted(continuation, state, token, flags);

    /// <summary>Called by the loop's thread alone. What waits goes on within.</summary>
    internal void OnEvent(uint events)
    {
        if (!_connected.Task.IsCompleted)
        {
            _connected.TrySetResult();
        }

        _hasEnded |= (events & (PeerClosed | HungUp | Error)) != 0;
        if ((events & ~Out) == 0 || Interlocked.Exchange(ref _state, Ready) != Waiting)
        {
            return;
        }

        // Whoever waits touches nothing until it has a result.
        var received = Receive(_buffer, out var error);
        if (error == SocketError.WouldBlock)
        {
            Volatile.Write(ref _state, Waiting);
            return;
        }

        Volatile.Write(ref _state, received == _buffer.Length || _hasEnded ? Ready : Idle);
        if (error == SocketError.Success)
        {
            _receive.SetResult(received);
        }
        else
        {
            _receive.SetException(new SocketException((int)error));
        }
    }

    private int Receive(Memory<byte> buffer, out SocketError error)
    {
        try
        {
            return socket.Receive(buffer.Span, SocketFlags.None, out error);
        }
        catch (ObjectDisposedException)
        {
            error = SocketError.OperationAborted;
            return 0;
        }
    }

    /// <summary>Only bodies that fill the kernel's buffer come here: a thread of the pool waits for room.</summary>
    private async ValueTask SendRestAsync(ReadOnlyMemory<byte> rest)
    {
        while (rest.Length > 0)
        {
            await Task.Run(() => socket.Poll(s_sendCheck, SelectMode.SelectWrite)).ConfigureAwait(false);
            var sent = socket.Send(rest.Span, SocketFlags.None, out var error);
            if (error is not (SocketError.Success or SocketError.WouldBlock))
            {
                throw new SocketException((int)error);
            }

            rest = rest[sent..];
        }
    }
}

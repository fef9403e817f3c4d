using System.Buffers.Binary;

namespace LoadTesting.Core.Http;

/// <summary>One thread and the connections that it watches.</summary>
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
            throw new IOException(
                $"epoll_create1 failed with error {Marshal.GetLastPInvokeError()}: too many open files?");
        }

        new Thread(Run) { IsBackground = true, Name = "lean-http" }.Start();
    }

    internal TimeSpan LongestHold => Stopwatch.GetElapsedTime(0, Volatile.Read(ref _longestHold));

    internal async Task<EpollWire> ConnectAsync(Socket socket, IPEndPoint endpoint, CancellationToken cancellationToken)
    {
        socket.Blocking = false;
        try
        {
            // Not ConnectAsync: it would register the socket with the runtime's loop, which every response would wake
            // too.
            socket.Connect(endpoint);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.WouldBlock)
        {
            // In progress: the first event signals the end.
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

    /// <summary>Stops watching. Closing the socket removes it from the kernel's set.</summary>
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

    /// <summary>Ends the thread when no more events occur.</summary>
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

            // The generation distinguishes a closed connection from the one that reuses its slot.
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

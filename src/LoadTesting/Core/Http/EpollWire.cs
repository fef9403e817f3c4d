using System.Threading.Tasks.Sources;

namespace LoadTesting.Core.Http;

/// <summary>
/// A non-blocking socket that a loop watches. Its state is one word: idle, a receive is waiting, or data is ready. A
/// receive that does not fill its buffer has emptied the socket, so the next one waits without a system call.
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

    /// <summary>Its key in the loop; 0 before it is watched.</summary>
    internal ulong Key { get; set; }

    /// <summary>Completes when connecting has succeeded or failed.</summary>
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

            // Reset the state before receiving, so that a new event is not lost.
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

    /// <summary>Shuts down both directions. The loop sees this like a close by the server.</summary>
    internal override void Abort()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The connection is closed already; a waiting receive is notified.
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

    /// <summary>Called only on the loop's thread. A waiting continuation runs inside.</summary>
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

        // A waiting receive does not use the buffer until it has a result.
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

    /// <summary>Sends the rest of a body that fills the kernel's buffer. A pool thread waits for space.</summary>
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

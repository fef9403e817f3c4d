using System.Security.Authentication;

namespace LoadTesting.Core.Http.Streams;

/// <summary>One client. Its memory does not grow with the number of events.</summary>
internal sealed class StreamClient : IFrameSink
{
    private const long NoDeadline = 0;
    private const int MostErrorBytes = 400;

    private readonly EventStreams _owner;
    private readonly int _number;
    private readonly Memory<byte> _buffer;
    private readonly ResponseParser _response;
    private readonly EventFrameParser _frames;
    private readonly GrowingBytes _position = new();
    private GrowingBytes? _error;
    private Wire? _wire;
    private long _deadline;
    private long _due;
    private long _now;
    private int _isSettled;
    private volatile bool _isOpen;
    private volatile bool _isOpenNow;
    private volatile bool _isOnPurpose;
    private bool _hadFirstMessage;
    private string? _fault;

    internal StreamClient(EventStreams owner, int number, Memory<byte> buffer)
    {
        (_owner, _number, _buffer) = (owner, number, buffer);
        (_response, _frames) = (new ResponseParser(owner.Http, OnBody), new EventFrameParser(this));
    }

    /// <summary>Whether its stream has ever been open.</summary>
    internal bool IsOpen => _isOpen;

    internal bool IsOpenNow => _isOpenNow;

    /// <summary>Connects and reads until the stream ends.</summary>
    /// <param name="dueTicks">Scheduled start, from which times of the first connection count.</param>
    internal async Task<StreamEnd> ReadAsync(long dueTicks)
    {
        _due = dueTicks;
        Wire wire;
        try
        {
            wire = await _owner.ConnectAsync().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is SocketException or IOException or AuthenticationException
            or ObjectDisposedException)
        {
            return new($"no connection to {_owner.Host}: {exception.Message}", WasOpen: false, IsOnPurpose: false);
        }
        catch (OperationCanceledException)
        {
            return new(
                $"no connection to {_owner.Host} within {_owner.OpenTimeout}", WasOpen: false, IsOnPurpose: false);
        }

        using (wire)
        {
            Interlocked.Exchange(ref _wire, wire);
            Volatile.Write(ref _deadline, _owner.OpenDeadline);
            var reason = _owner.IsStopping
                ? "the streams are being closed"
                : await ReadAllAsync(wire).ConfigureAwait(false);
            Volatile.Write(ref _deadline, NoDeadline);
            Interlocked.Exchange(ref _wire, null);
            var (wasOpen, isOnPurpose) = (_isOpenNow, _isOnPurpose);
            (_isOpenNow, _isOnPurpose) = (false, false);
            return new(_fault ?? reason, wasOpen, isOnPurpose && wasOpen);
        }
    }

    /// <summary>Closes an open stream to reconnect.</summary>
    internal void Reconnect()
    {
        if (_isOpenNow)
        {
            _isOnPurpose = true;
            Abort();
        }
    }

    internal void Abort()
    {
        if (Volatile.Read(ref _wire) is not { } wire)
        {
            return;
        }

        try
        {
            wire.Abort();
        }
        catch (ObjectDisposedException)
        {
            // It has just ended.
        }
    }

    /// <summary>The first frame has arrived, or is no longer awaited.</summary>
    internal void Settle()
    {
        if (Interlocked.Exchange(ref _isSettled, 1) == 0)
        {
            _owner.Settle();
        }
    }

    /// <summary>
    /// Gives up a connection that does not open, and stops waiting for an open but silent one. Called by the timer.
    /// </summary>
    internal void CheckDeadline(long now)
    {
        if (Volatile.Read(ref _deadline) is not NoDeadline and var deadline && now >= deadline)
        {
            Volatile.Write(ref _deadline, NoDeadline);
            if (_isOpenNow)
            {
                Settle();
            }
            else
            {
                Abort();
            }
        }
    }

    private void OnBody(ReadOnlySpan<byte> piece)
    {
        if (_response.Status != 200)
        {
            _error ??= new GrowingBytes();
            _error.Append(piece[..Math.Min(piece.Length, MostErrorBytes - Math.Min(MostErrorBytes, _error.Length))]);
            return;
        }

        Open();
        if (_isOpenNow)
        {
            _frames.Feed(piece);
        }
    }

    public void OnFrame(EventFrame frame)
    {
        if (!_hadFirstMessage)
        {
            _hadFirstMessage = true;
            _owner.HadFirstMessage(_now - _due);
            Volatile.Write(ref _deadline, NoDeadline);
            Settle();
        }

        if (frame.IsEvent)
        {
            if (_owner.Reader.TryRead(frame, out var delivery))
            {
                _owner.FanOut.Deliver(_number, delivery, _now);
            }
            else
            {
                _owner.AddForeign(frame);
            }
        }

        if (!frame.Id.IsEmpty)
        {
            _position.Length = 0;
            _position.Append(frame.Id);
        }
    }

    /// <summary>Requests the stream and reads it to its end.</summary>
    /// <returns>Why it ended.</returns>
    private async Task<string> ReadAllAsync(Wire wire)
    {
        _response.Begin(isHead: false, isKept: true);
        _frames.Reset();
        _fault = null;
        try
        {
            await wire.SendAsync(Request()).ConfigureAwait(false);
            while (!_response.IsOver && _fault is null)
            {
                var count = await wire.ReceiveAsync(_buffer).ConfigureAwait(false);
                _now = Stopwatch.GetTimestamp();
                if (count == 0)
                {
                    _response.End();
                    break;
                }

                _response.Feed(_buffer.Span[..count]);
                Open();
                _fault ??= _frames.IsTooLong ? "a frame of the event stream is longer than 1 MiB" : null;
            }
        }
        catch (Exception exception) when (exception is SocketException or IOException or ObjectDisposedException)
        {
            _response.Break(exception.Message);
        }

        return WhyEnded();
    }

    private string WhyEnded() => _response switch
    {
        { Status: > 0 and not 200 } => $"the stream was answered with status {_response.Status}: "
            + Encoding.UTF8.GetString((_error ?? new GrowingBytes()).Span),
        _ when _isOpenNow => "the server ended the event stream",
        { HasBegun: false } =>
            $"no answer to GET {_owner.Request.Target} from {_owner.Host} within {_owner.OpenTimeout}, or a closed "
            + "connection in place of one",
        _ => $"the answer to GET {_owner.Request.Target} is not an event stream: {_response.Detail}",
    };

    /// <summary>Opens the stream when its head has arrived.</summary>
    private void Open()
    {
        if (_isOpenNow || _response.Status != 200 || _response.Head.IsEmpty)
        {
            return;
        }

        if (!IsEventStream(_response.Head.Span))
        {
            _fault = $"GET {_owner.Request.Target} was answered with something else than text/event-stream";
            return;
        }

        _isOpenNow = true;
        if (!_isOpen)
        {
            _isOpen = true;
            _owner.Opened(_now - _due);
        }
        else if (_hadFirstMessage)
        {
            Volatile.Write(ref _deadline, NoDeadline);
        }
    }

    private static bool IsEventStream(ReadOnlySpan<byte> head)
    {
        while (head.Length > 0)
        {
            if (HttpSyntax.TrySplit(HttpSyntax.TakeLine(ref head), out var name, out var value)
                && Ascii.EqualsIgnoreCase(name, "Content-Type"u8))
            {
                var end = value.IndexOf((byte)';');
                return Ascii.EqualsIgnoreCase((end < 0 ? value : value[..end]).Trim(" \t"u8), "text/event-stream"u8);
            }
        }

        return false;
    }

    private ReadOnlyMemory<byte> Request()
    {
        var request = _position.Length == 0
            ? _owner.Request
            : _owner.Request.WithHeader("Last-Event-ID", Encoding.UTF8.GetString(_position.Span));
        var host = Encoding.ASCII.GetBytes(_owner.Host);
        var bytes = new byte[request.SizeWith(host, 0)];
        return bytes.AsMemory(0, request.Write(bytes, host, default));
    }
}

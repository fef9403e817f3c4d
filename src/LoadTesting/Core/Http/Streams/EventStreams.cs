using System.Security.Authentication;

namespace LoadTesting.Core.Http.Streams;

/// <summary>How clients of event streams behave.</summary>
public sealed record EventStreamsOptions
{
    /// <summary>
    /// Clients that begin to connect in a second, on an absolute schedule: times count from when each was due. Default 1,000.
    /// </summary>
    public int OpenedPerSecond { get; init; } = 1_000;

    /// <summary>From when a client connects until its stream is open, and until its first frame. Default 10 s.</summary>
    public TimeSpan OpenTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How often a client in a row connects again in vain before it stays away; its pauses grow from 50 ms. Default 5.</summary>
    public int MostFailures { get; init; } = 5;

    /// <summary>Ordered streams of events that the system has at most, such as partitions. Default 64.</summary>
    public int Streams { get; init; } = 64;

    /// <summary>Clock and timer of <see cref="OpenTimeout"/>.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <exception cref="ArgumentException">A value is out of its range; the message lists all of them.</exception>
    internal void Validate()
    {
        var wrong = new List<string>();
        Check(OpenedPerSecond is >= 1 and <= 1_000_000, $"OpenedPerSecond {OpenedPerSecond} is not between 1 and 1000000");
        Check(OpenTimeout > TimeSpan.Zero && OpenTimeout <= TimeSpan.FromHours(1), $"OpenTimeout {OpenTimeout} is not between 0 and 1 h");
        Check(MostFailures >= 0, $"MostFailures {MostFailures} is negative");
        Check(Streams is >= 1 and <= 65_536, $"Streams {Streams} is not between 1 and 65536");
        if (wrong.Count > 0)
        {
            throw new ArgumentException($"The options of event streams cannot be used: {string.Join("; ", wrong)}.");
        }

        void Check(bool holds, string otherwise)
        {
            if (!holds)
            {
                wrong.Add(otherwise);
            }
        }
    }
}

/// <summary>
/// Many clients of one event stream (server-sent events over HTTP/1.1), each on a connection of its own, in one process: a socket, a parser
/// and 2 KB for each, no thread and no task for an event. A client whose stream ends comes back with <c>Last-Event-ID</c>.
/// </summary>
/// <remarks>
/// On Linux over plain HTTP the thread that sees the bytes also reads the event (<see cref="HttpSenderOptions.ContinuesInline"/>): a
/// client's receipt is stamped when its bytes are there, and not when a thread of the pool is free.
/// </remarks>
public sealed class EventStreams : IAsyncDisposable
{
    private const int BufferBytes = 2 << 10;
    private static readonly TimeSpan s_check = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_firstPause = TimeSpan.FromMilliseconds(50);

    private readonly LatencyRecorder _open = new();
    private readonly LatencyRecorder _firstMessage = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly EventStreamsOptions _options;
    private readonly Connector _connector;
    private readonly StreamClient[] _clients;
    private readonly Task[] _runs;
    private readonly ITimer _timer;
    private string? _firstFault;
    private int _unsettled;
    private long _cuts;
    private long _reconnections;

    /// <summary>Prepares; nothing is sent before <see cref="OpenAsync"/>.</summary>
    /// <param name="baseAddress">Scheme, host and port, such as <c>http://127.0.0.1:5080</c>.</param>
    /// <param name="target">Path and query of the stream, such as <c>/events</c>.</param>
    /// <param name="clients">How many, at least 1.</param>
    /// <param name="reader">Reads what events say.</param>
    /// <param name="options">The defaults when null.</param>
    public EventStreams(Uri baseAddress, string target, int clients, IEventReader reader, EventStreamsOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(baseAddress);
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentOutOfRangeException.ThrowIfLessThan(clients, 1);
        _options = options ?? new EventStreamsOptions();
        _options.Validate();
        Http = new HttpSenderOptions { ContinuesInline = true, MaxBodyBytes = int.MaxValue };
        Request = PreparedRequest.Get(target).WithHeader("Accept", "text/event-stream");
        (Reader, FanOut, _connector) = (reader, new FanOut(clients, _options.Streams), new Connector(baseAddress, Http));

        // One block: thousands of small buffers would each have a header and be moved by the collector.
        var buffers = new byte[(long)clients * BufferBytes];
        _clients = [.. Enumerable.Range(0, clients).Select(
            number => new StreamClient(this, number, buffers.AsMemory(number * BufferBytes, BufferBytes)))];
        (_runs, _unsettled) = (new Task[clients], clients);
        _timer = _options.TimeProvider.CreateTimer(_ => CheckDeadlines(), null, s_check, s_check);
    }

    /// <summary>What became of the publications.</summary>
    public FanOut FanOut { get; }

    /// <summary>How many there are.</summary>
    public int Clients => _clients.Length;

    internal HttpSenderOptions Http { get; }

    internal PreparedRequest Request { get; }

    internal IEventReader Reader { get; }

    internal string Host => _connector.Host;

    internal bool IsStopping => _stop.IsCancellationRequested;

    internal TimeSpan OpenTimeout => _options.OpenTimeout;

    /// <summary>When a client that has just connected is given up, on the clock of the options.</summary>
    internal long OpenDeadline =>
        _options.TimeProvider.GetTimestamp() + (long)(OpenTimeout.TotalSeconds * _options.TimeProvider.TimestampFrequency);

    /// <summary>
    /// Opens all streams, and returns when each has had its first frame or was given up. Publications are due to those that are open then.
    /// </summary>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        var began = Stopwatch.GetTimestamp();
        for (var next = 0; next < _clients.Length;)
        {
            var due = Math.Min(
                _clients.Length, 1 + (long)(Stopwatch.GetElapsedTime(began).TotalSeconds * _options.OpenedPerSecond));
            for (; next < due; next++)
            {
                _runs[next] = RunAsync(_clients[next], began + (next * Stopwatch.Frequency / _options.OpenedPerSecond));
            }

            if (next < _clients.Length)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(1), cancellationToken).ConfigureAwait(false);
            }
        }

        await _settled.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        FanOut.Expected = _clients.Count(client => client.IsOpen);
    }

    /// <summary>A client cuts its connection and comes back with the id of the last event that it read.</summary>
    public void Reconnect(int client) => _clients[client].Reconnect();

    /// <summary>What has come of all streams until now.</summary>
    public FanOutResult Result() => new()
    {
        Clients = Clients,
        Opened = FanOut.Expected,
        OpenNow = _clients.Count(client => client.IsOpenNow),
        Reconnections = Interlocked.Read(ref _reconnections),
        Cuts = Interlocked.Read(ref _cuts),
        FirstFault = Volatile.Read(ref _firstFault),
        Counts = FanOut.Counts(),
        Open = _open.Snapshot(),
        FirstMessage = _firstMessage.Snapshot(),
        Propagation = FanOut.Propagation,
    };

    /// <summary>Closes all streams.</summary>
    public async ValueTask DisposeAsync()
    {
        if (IsStopping)
        {
            return;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await _timer.DisposeAsync().ConfigureAwait(false);
        Array.ForEach(_clients, client => client.Abort());
        await Task.WhenAll(_runs.Where(run => run is not null)).ConfigureAwait(false);
        _connector.Dispose();
        _stop.Dispose();
    }

    internal async ValueTask<Wire> ConnectAsync()
    {
        using var limit = new CancellationTokenSource(OpenTimeout, _options.TimeProvider);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, _stop.Token);
        return await _connector.OpenAsync(either.Token).ConfigureAwait(false);
    }

    internal void Opened(long ticks) => _open.RecordStopwatchTicks(ticks);

    internal void HadFirstMessage(long ticks) => _firstMessage.RecordStopwatchTicks(ticks);

    internal void Settle()
    {
        if (Interlocked.Decrement(ref _unsettled) == 0)
        {
            _settled.TrySetResult();
        }
    }

    internal void AddForeign(EventFrame frame)
    {
        FanOut.AddForeign();
        Note($"an event '{Encoding.UTF8.GetString(frame.Type)}' that has no place in this load");
    }

    /// <summary>Keeps the client connected for as long as the streams are to be open.</summary>
    private async Task RunAsync(StreamClient client, long dueTicks)
    {
        try
        {
            for (var failures = 0; failures <= _options.MostFailures;)
            {
                var ended = await client.ReadAsync(dueTicks).ConfigureAwait(false);
                if (IsStopping || !client.IsOpen)
                {
                    Note(ended.Reason);
                    return;
                }

                if (ended.IsOnPurpose)
                {
                    Interlocked.Increment(ref _reconnections);
                    continue;
                }

                Note(ended.Reason);
                failures = ended.WasOpen ? 0 : failures + 1;
                Interlocked.Add(ref _cuts, ended.WasOpen ? 1 : 0);
                await Task.Delay(s_firstPause * (failures + 1), _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            client.Settle();
        }
    }

    /// <summary>Keeps the first fault; what ends because all is being closed is none.</summary>
    private void Note(string fault)
    {
        if (!IsStopping)
        {
            Interlocked.CompareExchange(ref _firstFault, fault, null);
        }
    }

    private void CheckDeadlines()
    {
        var now = _options.TimeProvider.GetTimestamp();
        foreach (var client in _clients)
        {
            client.CheckDeadline(now);
        }
    }
}

/// <summary>How a connection of a client ended.</summary>
/// <param name="Reason">In words.</param>
/// <param name="WasOpen">Whether its stream was open.</param>
/// <param name="IsOnPurpose">Whether the client itself cut it, to come back.</param>
internal readonly record struct StreamEnd(string Reason, bool WasOpen, bool IsOnPurpose);

/// <summary>One client: what it needs beside its connection, and nothing that grows with events.</summary>
internal sealed class StreamClient : IBodySink, IFrameSink
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
        (_response, _frames) = (new ResponseParser(owner.Http, this), new EventFrameParser(this));
    }

    /// <summary>Whether its stream has ever been open.</summary>
    internal bool IsOpen => _isOpen;

    internal bool IsOpenNow => _isOpenNow;

    /// <summary>Connects, and reads until the stream ends.</summary>
    /// <param name="dueTicks">When it was to begin; times of the first connection count from here.</param>
    internal async Task<StreamEnd> ReadAsync(long dueTicks)
    {
        _due = dueTicks;
        Wire wire;
        try
        {
            wire = await _owner.ConnectAsync().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is SocketException or IOException or AuthenticationException or ObjectDisposedException)
        {
            return new($"no connection to {_owner.Host}: {exception.Message}", WasOpen: false, IsOnPurpose: false);
        }
        catch (OperationCanceledException)
        {
            return new($"no connection to {_owner.Host} within {_owner.OpenTimeout}", WasOpen: false, IsOnPurpose: false);
        }

        using (wire)
        {
            Interlocked.Exchange(ref _wire, wire);
            Volatile.Write(ref _deadline, _owner.OpenDeadline);
            var reason = _owner.IsStopping ? "the streams are being closed" : await ReadAllAsync(wire).ConfigureAwait(false);
            Volatile.Write(ref _deadline, NoDeadline);
            Interlocked.Exchange(ref _wire, null);
            var (wasOpen, isOnPurpose) = (_isOpenNow, _isOnPurpose);
            (_isOpenNow, _isOnPurpose) = (false, false);
            return new(_fault ?? reason, wasOpen, isOnPurpose && wasOpen);
        }
    }

    /// <summary>Cuts a stream that is open, to come back.</summary>
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
            // It has just ended by itself.
        }
    }

    /// <summary>Its first frame has come, or is not waited for any more.</summary>
    internal void Settle()
    {
        if (Interlocked.Exchange(ref _isSettled, 1) == 0)
        {
            _owner.Settle();
        }
    }

    /// <summary>Called by the timer: gives up a connection that does not open; one that is open and silent is not waited for.</summary>
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

    public void OnBody(ReadOnlySpan<byte> piece)
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

    /// <summary>Asks for the stream, and reads it to its end.</summary>
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
        { HasBegun: false } => $"no answer to GET {_owner.Request.Target} from {_owner.Host} within {_owner.OpenTimeout}, or a closed "
            + "connection in place of one",
        _ => $"the answer to GET {_owner.Request.Target} is no event stream: {_response.Detail}",
    };

    /// <summary>The head of a stream has come.</summary>
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

namespace LoadTesting.Core.Http.Streams;

/// <summary>
/// Many clients of one event stream (server-sent events over HTTP/1.1) in one process, each with its own connection. A
/// client costs a socket, a parser and 2 KB, and an event needs no thread and no task. A client whose stream ends
/// reconnects with <c>Last-Event-ID</c>.
/// </summary>
/// <remarks>
/// On Linux over plain HTTP the thread that receives the bytes also reads the event
/// (<see cref="HttpSenderOptions.ContinuesInline"/>), so that receipts are timed when the bytes arrive and not when a
/// pool thread is free.
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

    /// <summary>Creates the clients. Nothing is sent before <see cref="OpenAsync"/>.</summary>
    /// <param name="baseAddress">Scheme, host and port, such as <c>http://127.0.0.1:5080</c>.</param>
    /// <param name="target">Path and query of the stream, such as <c>/events</c>.</param>
    /// <param name="clients">Number of clients, at least 1.</param>
    /// <param name="reader">Reads events.</param>
    /// <param name="options">Settings; null for the defaults.</param>
    public EventStreams(
        Uri baseAddress, string target, int clients, IEventReader reader, EventStreamsOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(baseAddress);
        ArgumentNullException.ThrowIfNull(reader);
        ArgumentOutOfRangeException.ThrowIfLessThan(clients, 1);
        _options = options ?? new EventStreamsOptions();
        _options.Validate();
        Http = new HttpSenderOptions { ContinuesInline = true, MaxBodyBytes = int.MaxValue };
        Request = PreparedRequest.Get(target).WithHeader("Accept", "text/event-stream");
        (Reader, FanOut, _connector) =
            (reader, new FanOut(clients, _options.Streams), new Connector(baseAddress, Http));

        // One block: thousands of small buffers would have headers and be moved by the collector.
        var buffers = new byte[(long)clients * BufferBytes];
        _clients = [.. Enumerable.Range(0, clients).Select(
            number => new StreamClient(this, number, buffers.AsMemory(number * BufferBytes, BufferBytes)))];
        (_runs, _unsettled) = (new Task[clients], clients);
        _timer = _options.TimeProvider.CreateTimer(_ => CheckDeadlines(), null, s_check, s_check);
    }

    /// <summary>The account of publications.</summary>
    public FanOut FanOut { get; }

    /// <summary>Number of clients.</summary>
    public int Clients => _clients.Length;

    internal HttpSenderOptions Http { get; }

    internal PreparedRequest Request { get; }

    internal IEventReader Reader { get; }

    internal string Host => _connector.Host;

    internal bool IsStopping => _stop.IsCancellationRequested;

    internal TimeSpan OpenTimeout => _options.OpenTimeout;

    /// <summary>When to give up a client that connects now, on the clock of the options.</summary>
    internal long OpenDeadline =>
        _options.TimeProvider.GetTimestamp()
            + (long)(OpenTimeout.TotalSeconds * _options.TimeProvider.TimestampFrequency);

    /// <summary>
    /// Opens all streams and returns when each has received its first frame or was given up. Open streams must receive
    /// all publications.
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

    /// <summary>Lets a client close its connection and reconnect with the id of the last event that it read.</summary>
    public void Reconnect(int client) => _clients[client].Reconnect();

    /// <summary>The results so far.</summary>
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

    /// <summary>Keeps a client connected until the streams are closed.</summary>
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
                await Task.Delay(s_firstPause * (failures + 1), _stop.Token)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            client.Settle();
        }
    }

    /// <summary>Keeps the first fault. Ends during closing are not faults.</summary>
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

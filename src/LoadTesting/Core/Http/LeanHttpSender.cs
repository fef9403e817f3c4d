namespace LoadTesting.Core.Http;

/// <summary>One connection per worker, and one timer for all deadlines.</summary>
internal sealed class LeanHttpSender : HttpSender
{
    private readonly HttpSenderOptions _options;
    private readonly Connector _connector;
    private readonly ITimer _timer;
    private readonly Lock _gate = new();
    private volatile LeanConnection?[] _workers = new LeanConnection?[64];
    private volatile bool _isDisposed;

    internal LeanHttpSender(Uri baseAddress, HttpSenderOptions options)
    {
        _options = options;
        _connector = new Connector(baseAddress, options);
        _timer =
            options.TimeProvider.CreateTimer(_ => CheckDeadlines(), null, options.CheckInterval, options.CheckInterval);
    }

    public override string Name => "lean";

    public override long? Connections => _connector.Connections;

    public override long Resent => _workers.Sum(worker => worker?.Resent ?? 0);

    public override TimeSpan? LongestHold => _connector.LongestHold;

    public override ValueTask<HttpReply> SendAsync(
        int worker, PreparedRequest request, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(request);
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        var workers = _workers;
        var connection = (uint)worker < (uint)workers.Length ? workers[worker] : null;
        return (connection ?? Add(worker)).SendAsync(request, body, cancellationToken);
    }

    /// <summary>
    /// Whether a worker's connection ended, or received unsolicited bytes, while no request was in progress.
    /// </summary>
    internal bool HasEndedIdle(int worker) => _workers[worker]?.HasEndedIdle ?? false;

    protected override void Dispose(bool disposing)
    {
        _isDisposed = true;
        _timer.Dispose();
        foreach (var worker in _workers)
        {
            worker?.Dispose();
        }

        _connector.Dispose();
    }

    private LeanConnection Add(int worker)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(worker);
        lock (_gate)
        {
            if (worker >= _workers.Length)
            {
                var more = new LeanConnection?[Math.Max(2 * _workers.Length, worker + 1)];
                _workers.CopyTo(more, 0);
                _workers = more;
            }

            return _workers[worker] ??= new LeanConnection(worker, _connector, _options);
        }
    }

    private void CheckDeadlines()
    {
        var now = _options.TimeProvider.GetTimestamp();
        foreach (var worker in _workers)
        {
            worker?.AbortIfLate(now);
        }
    }
}

namespace LoadTesting.Core.Http;

/// <summary>
/// Ends requests after a time, or when the run is cut. One timer checks all of them, and limits are reused, so that a
/// request within its limit allocates nothing and sets no timer.
/// </summary>
internal sealed class TimeLimits : IDisposable
{
    private readonly ConcurrentDictionary<Limit, bool> _all = new();
    private readonly ConcurrentQueue<Limit> _idle = new();
    private readonly long _timeout;
    private readonly TimeProvider _time;
    private readonly ITimer _timer;

    internal TimeLimits(HttpSenderOptions options)
    {
        (_time, _timeout) = (options.TimeProvider, options.TimeoutTicks);
        _timer =
            _time.CreateTimer(_ => EndAfter(_time.GetTimestamp()), null, options.CheckInterval, options.CheckInterval);
    }

    /// <summary>Starts a limit.</summary>
    /// <param name="cancellationToken">Ends the request earlier.</param>
    internal Limit Begin(CancellationToken cancellationToken)
    {
        if (!_idle.TryDequeue(out var limit))
        {
            limit = new(this);
            _all[limit] = true;
        }

        limit.Begin(_time.GetTimestamp() + _timeout, cancellationToken);
        return limit;
    }

    /// <summary>Ends all requests that are under way.</summary>
    public void Dispose()
    {
        _timer.Dispose();
        EndAfter(long.MaxValue);
    }

    private void EndAfter(long now)
    {
        foreach (var (limit, _) in _all)
        {
            limit.EndAfter(now);
        }
    }

    /// <summary>The limit of one request, until it is disposed.</summary>
    internal sealed class Limit(TimeLimits limits) : IDisposable
    {
        private const long None = 0;
        private const long Ended = -1;

        private readonly CancellationTokenSource _source = new();
        private CancellationToken _cut;
        private long _deadline;
        private long _last;

        internal CancellationToken Token => _source.Token;

        /// <summary>What the request takes on its connection.</summary>
        internal CountedStream.Exchange Exchange { get; } = new();

        /// <summary>No two requests of a limit have one deadline, so that none is ended for another.</summary>
        internal void Begin(long deadline, CancellationToken cut)
        {
            _cut = cut;
            Exchange.Bytes = default;
            _last = Math.Max(_last + 1, deadline);
            Volatile.Write(ref _deadline, _last);
        }

        internal void EndAfter(long now)
        {
            var deadline = Volatile.Read(ref _deadline);
            if (deadline > None && (now >= deadline || _cut.IsCancellationRequested)
                && Interlocked.CompareExchange(ref _deadline, Ended, deadline) == deadline)
            {
                _source.Cancel();
            }
        }

        /// <summary>
        /// One that was ended may be cancelled at this moment: it is left to the collector, and holds nothing else.
        /// </summary>
        public void Dispose()
        {
            if (Interlocked.Exchange(ref _deadline, None) > None && _source.TryReset())
            {
                limits._idle.Enqueue(this);
            }
            else
            {
                _ = limits._all.TryRemove(this, out _);
            }
        }
    }
}

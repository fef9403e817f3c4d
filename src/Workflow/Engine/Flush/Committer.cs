namespace Workflow.Engine.Flush;

/// <summary>
/// Commits the batches of all lanes of an engine, one transaction at a time. The batch of a lane stays open until the
/// transaction takes it. Callers whose commands were just committed return immediately with their next commands, so a
/// transaction waits briefly for them. The number of commits therefore depends on the number of commands in flight, not
/// on their distribution over time and lanes.
/// </summary>
/// <param name="group">Commits several lanes in one transaction; null if the store cannot, and the committer serves one
/// lane.</param>
internal sealed class Committer(ILaneGroup? group, TimeProvider time, Telemetry telemetry) : IFlusher
{
    /// <summary>The next commit waits for callers for the time of the last commit divided by this number.</summary>
    private const int WaitDivisor = 2;

    /// <summary>
    /// A wait for which less than half of the callers returned is followed by commits without a wait. Their number
    /// doubles each time, up to this maximum.
    /// </summary>
    private const int MaxSkippedWaits = 64;

    /// <summary>
    /// The number of callers that justify the fixed cost of a commit. Waiting for more would leave the store idle.
    /// </summary>
    private const int Enough = 64;

    /// <summary>
    /// Scheduler turns without a new caller after which the wait ends, because no caller is about to return.
    /// </summary>
    private const int MaxIdleYields = 16;

    /// <summary>
    /// Characters of rows after which further lanes wait for the next transaction: a server accepts 1 GiB in one
    /// message.
    /// </summary>
    private const long FullSize = 16 * 1_048_576;

    private readonly Lock _gate = new();
    private List<IFlushSource> _ready = [];
    private bool _committing;
    private int _waiting;
    private int _expected;
    private long _deadline;
    private int _skip;
    private int _skipNext = 1;

    public void Offer(IFlushSource source)
    {
        lock (_gate)
        {
            _ready.Add(source);
            if (_committing)
            {
                return;
            }

            _committing = true;
        }

        _ = CommitAllAsync();
    }

    public void AddWaiting(int commands) => Interlocked.Add(ref _waiting, commands);

    private async Task CommitAllAsync()
    {
        while (true)
        {
            await WaitForCallersAsync();
            List<IFlushSource> ready;
            lock (_gate)
            {
                if (_ready.Count == 0)
                {
                    _committing = false;
                    return;
                }

                ready = _ready;
                _ready = [];
            }

            var began = time.GetTimestamp();
            var flushes = new List<(IFlushSource Source, LaneFlush Flush)>(ready.Count);
            var commands = 0;
            var size = 0L;
            var taken = 0;
            while (taken < ready.Count && size < FullSize)
            {
                var source = ready[taken++];
                if (source.SealBatch(out var awaited, out var rows) is { } flush)
                {
                    flushes.Add((source, flush));
                    commands += awaited;
                    size += rows;
                }
            }

            if (taken < ready.Count)
            {
                lock (_gate)
                {
                    _ready.InsertRange(0, ready[taken..]);
                }
            }

            var commit = CommitAsync(flushes);
            var isAtOnce = commit.IsCompleted && flushes.Count > 0;
            await commit;
            var ended = time.GetTimestamp();
            Volatile.Write(ref _expected, Volatile.Read(ref _waiting) + commands);
            _deadline = ended + ((ended - began) / WaitDivisor);
            foreach (var (source, _) in flushes)
            {
                source.EndFlush();
            }

            if (isAtOnce && IsAnyReady())
            {
                // Let other work run: a store that completes synchronously would otherwise keep the first lane in this
                // loop.
                await Task.Yield();
            }
        }

        bool IsAnyReady()
        {
            lock (_gate)
            {
                return _ready.Count > 0;
            }
        }
    }

    /// <summary>
    /// Waits until as many callers wait as did when the last commit ended, for a part of that commit's time at most.
    /// </summary>
    private async ValueTask WaitForCallersAsync()
    {
        if (IsComplete() || time.GetTimestamp() >= _deadline)
        {
            return;
        }

        if (_skip > 0)
        {
            _skip--;
            return;
        }

        var before = Volatile.Read(ref _waiting);
        var seen = before;
        for (var idle = 0; idle < MaxIdleYields && !IsComplete() && time.GetTimestamp() < _deadline;)
        {
            await Task.Yield();
            var now = Volatile.Read(ref _waiting);
            idle = now == seen ? idle + 1 : 0;
            seen = now;
        }

        var wasInVain = (2 * (seen - before)) < Wanted() - before;
        _skipNext = wasInVain ? Math.Min(MaxSkippedWaits, _skipNext * 2) : 1;
        _skip = wasInVain ? _skipNext : 0;

        bool IsComplete() => Volatile.Read(ref _waiting) >= Wanted();
        int Wanted() => Math.Min(Enough, Volatile.Read(ref _expected));
    }

    private async Task CommitAsync(List<(IFlushSource Source, LaneFlush Flush)> flushes)
    {
        if (flushes.Count > 1)
        {
            var error = await FailureOfAsync(
                () => group!.FlushAsync([.. flushes.Select(f => f.Flush)], CancellationToken.None));
            if (error is null or { Failure: FlushFailure.Unavailable })
            {
                flushes.ForEach(f => f.Source.Outcome = error);
                return;
            }
        }

        // One lane, or a failure in one of several: commit each lane separately, so that no lane fails because of
        // another.
        foreach (var (source, flush) in flushes)
        {
            source.Outcome = await FailureOfAsync(() => flush.Lane.FlushAsync(flush.Batch, CancellationToken.None));
        }
    }

    private async Task<FlushException?> FailureOfAsync(Func<Task> flush)
    {
        try
        {
            await flush();
            telemetry.Commits.Add(1);
            return null;
        }
        catch (FlushException e)
        {
            return e;
        }
        catch (Exception e)
        {
            return new FlushException(FlushFailure.Unavailable, e.Message, e);
        }
    }
}

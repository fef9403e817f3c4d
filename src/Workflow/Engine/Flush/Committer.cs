namespace Workflow.Engine.Flush;

/// <summary>
/// Commits what all lanes of an engine have ready in one transaction, one at a time. A lane's batch stays open until the transaction takes
/// it. Callers whose commands were just committed come back at once with the next: a transaction waits a little for them, so that commits
/// depend on how many commands are in flight and not on how they are spread over time and lanes.
/// </summary>
/// <param name="group">Commits several lanes at once; null where the store cannot, and this committer serves one lane.</param>
internal sealed class Committer(ILaneGroup? group, TimeProvider time, Telemetry telemetry) : IFlusher
{
    /// <summary>The part of the last commit's time that the next one waits for callers: what it can cost at most.</summary>
    private const int WaitPart = 2;

    /// <summary>
    /// A wait for which less than half of the callers came is followed by so many commits without one, doubled each time up to this.
    /// </summary>
    private const int MostSkipped = 64;

    /// <summary>For so many callers a commit is worth its fixed cost: waiting for more would leave the store idle.</summary>
    private const int Enough = 64;

    /// <summary>Turns of the scheduler without a new caller: none is about to come, and waiting would only use the processor.</summary>
    private const int MostIdleYields = 16;

    /// <summary>Characters of rows after which lanes wait for the next transaction: a server takes 1 GiB in one message.</summary>
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

    public void Waits(int commands) => Interlocked.Add(ref _waiting, commands);

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
            _deadline = ended + ((ended - began) / WaitPart);
            foreach (var (source, _) in flushes)
            {
                source.EndFlush();
            }

            if (isAtOnce && IsAnyReady())
            {
                // The lane that offered first goes on; otherwise a store that never waits would keep it at work for the others.
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

    /// <summary>Until as many callers wait as did when the last commit ended, for a part of that commit's time at most.</summary>
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
        for (var idle = 0; idle < MostIdleYields && !IsComplete() && time.GetTimestamp() < _deadline;)
        {
            await Task.Yield();
            var now = Volatile.Read(ref _waiting);
            idle = now == seen ? idle + 1 : 0;
            seen = now;
        }

        var isInVain = (2 * (seen - before)) < Wanted() - before;
        _skipNext = isInVain ? Math.Min(MostSkipped, _skipNext * 2) : 1;
        _skip = isInVain ? _skipNext : 0;

        bool IsComplete() => Volatile.Read(ref _waiting) >= Wanted();
        int Wanted() => Math.Min(Enough, Volatile.Read(ref _expected));
    }

    private async Task CommitAsync(List<(IFlushSource Source, LaneFlush Flush)> flushes)
    {
        if (flushes.Count > 1)
        {
            var error = await FailureOfAsync(() => group!.FlushAsync([.. flushes.Select(f => f.Flush)], CancellationToken.None));
            if (error is null or { Failure: FlushFailure.Unavailable })
            {
                flushes.ForEach(f => f.Source.Outcome = error);
                return;
            }
        }

        // One lane, or one of several is to blame: each by itself, so that no lane suffers for another.
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

/// <summary>Commits the batches of lanes.</summary>
internal interface IFlusher
{
    /// <summary>A lane has something to commit; it is asked for its batch when the transaction begins.</summary>
    void Offer(IFlushSource source);

    /// <summary>Commands of waiting callers were added to open batches, or left them.</summary>
    void Waits(int commands);
}

/// <summary>A lane as its committer sees it.</summary>
internal interface IFlushSource
{
    /// <summary>How its flush ended: null when it is committed. Set before <see cref="EndFlush"/>.</summary>
    FlushException? Outcome { set; }

    /// <summary>Closes the open batch and turns it into rows, on the committer's thread.</summary>
    /// <param name="awaited">How many callers wait for it.</param>
    /// <param name="size">Characters of its rows at most, roughly.</param>
    /// <returns>Null when there is nothing to commit any more.</returns>
    LaneFlush? SealBatch(out int awaited, out long size);

    /// <summary>The flush is over; the lane goes on from its outcome.</summary>
    void EndFlush();
}

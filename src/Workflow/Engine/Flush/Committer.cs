using Workflow.Abstractions.Stores;
using Workflow.Engine.Diagnostics;
using Workflow.Engine.Lanes;

namespace Workflow.Engine.Flush;

/// <summary>
/// Commits what all lanes of an engine have ready in one transaction, one at a time. A lane's batch stays open until the transaction takes
/// it. Callers whose commands were just committed come back at once with the next: a transaction waits a little for them, so that commits
/// depend on how many commands are in flight and not on how they are spread over time and lanes.
/// </summary>
/// <param name="group">Commits several lanes at once; null where the store cannot, and this committer serves one lane.</param>
internal sealed class Committer(ILaneGroup? group, TimeProvider time, Telemetry telemetry)
{
    /// <summary>The part of the last commit's time that the next one waits for callers: what it can cost at most.</summary>
    private const int WaitPart = 6;

    /// <summary>A wait in vain is followed by so many commits without one, doubled each time up to this.</summary>
    private const int MostSkipped = 64;

    /// <summary>For so many callers a commit is worth its fixed cost: waiting for more would leave the store idle.</summary>
    private const int Enough = 64;

    /// <summary>Turns of the scheduler without a new caller: none is about to come, and waiting would only use the processor.</summary>
    private const int MostIdleYields = 16;

    private readonly Lock _gate = new();
    private List<Lane> _ready = [];
    private bool _committing;
    private int _waiting;
    private int _expected;
    private long _deadline;
    private int _skip;
    private int _skipNext = 1;

    /// <summary>The lane has something to commit; it is asked for its batch when the transaction begins.</summary>
    public void Offer(Lane lane)
    {
        lock (_gate)
        {
            _ready.Add(lane);
            if (_committing)
            {
                return;
            }

            _committing = true;
        }

        _ = CommitAllAsync();
    }

    /// <summary>Commands of waiting callers were added to open batches, or left them.</summary>
    public void Waits(int commands) => Interlocked.Add(ref _waiting, commands);

    private async Task CommitAllAsync()
    {
        while (true)
        {
            await WaitForCallersAsync();
            List<Lane> ready;
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
            var sealedLanes = new List<(Lane Lane, LaneFlush Flush)>(ready.Count);
            var commands = 0;
            foreach (var lane in ready)
            {
                if (lane.SealBatch(out var awaited) is { } flush)
                {
                    sealedLanes.Add((lane, flush));
                    commands += awaited;
                }
            }

            await CommitAsync(sealedLanes);
            var ended = time.GetTimestamp();
            Volatile.Write(ref _expected, Volatile.Read(ref _waiting) + commands);
            _deadline = ended + ((ended - began) / WaitPart);
            foreach (var (lane, _) in sealedLanes)
            {
                lane.EndFlush();
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

        var seen = Volatile.Read(ref _waiting);
        for (var idle = 0; idle < MostIdleYields && !IsComplete() && time.GetTimestamp() < _deadline;)
        {
            await Task.Yield();
            var now = Volatile.Read(ref _waiting);
            idle = now == seen ? idle + 1 : 0;
            seen = now;
        }

        _skipNext = IsComplete() ? 1 : Math.Min(MostSkipped, _skipNext * 2);
        _skip = IsComplete() ? 0 : _skipNext;

        bool IsComplete() => Volatile.Read(ref _waiting) >= Math.Min(Enough, Volatile.Read(ref _expected));
    }

    private async Task CommitAsync(List<(Lane Lane, LaneFlush Flush)> lanes)
    {
        if (lanes.Count > 1)
        {
            var error = await FailureOfAsync(() => group!.FlushAsync([.. lanes.Select(l => l.Flush)], CancellationToken.None));
            if (error is null or { Failure: FlushFailure.Unavailable })
            {
                lanes.ForEach(l => l.Lane.Outcome = error);
                return;
            }
        }

        // One lane, or one of several is to blame: each by itself, so that no lane suffers for another.
        foreach (var (lane, flush) in lanes)
        {
            lane.Outcome = await FailureOfAsync(() => flush.Lane.FlushAsync(flush.Batch, CancellationToken.None));
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

using Workflow.Engine.Diagnostics;
using Workflow.Engine.Flush;

namespace UnitTests.Workflow.Engine;

public sealed class CommitterTests
{
    private const int Rounds = 10;

    /// <summary>Otherwise one busy lane would commit for all others and not read its own mailbox.</summary>
    [Fact]
    public async Task Lane_continues_after_one_commit_of_a_synchronous_store()
    {
        var committer = new Committer(group: null, new ManualTime(), new Telemetry());
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var caller = 0;
        var (all, ofCaller) = (0, 0);
        var other = new Source();
        var own = new Source();
        other.Ended = () =>
        {
            ofCaller += Environment.CurrentManagedThreadId == Volatile.Read(ref caller) ? 1 : 0;
            if (++all < Rounds)
            {
                committer.Offer(other);
            }
            else
            {
                ended.SetResult();
            }
        };
        own.Ended = () => committer.Offer(other);

        await Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref caller, Environment.CurrentManagedThreadId);
                committer.Offer(own);
                Volatile.Write(ref caller, 0);
            },
            Cancel,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        await ended.Task.WaitAsync(Cancel);

        Assert.Equal((Rounds, 0), (all, ofCaller));
    }

    /// <summary>A server refuses a message above its limit. The outcome of the commit would then be unknown.</summary>
    [Fact]
    public async Task Lanes_beyond_one_commit_are_committed_in_order()
    {
        var store = new CommitLog();
        var committer = new Committer(store, new ManualTime(), new Telemetry());
        Source[] large =
            [.. Enumerable.Range(1, 3).Select(n => new Source { Store = store, Number = n, Size = 10 * 1_048_576 })];
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        large[^1].Ended = ended.SetResult;
        var first = new Source { Store = store, Ended = () => Array.ForEach(large, committer.Offer) };

        committer.Offer(first);
        await ended.Task.WaitAsync(Cancel);

        Assert.Equal(["0", "1 2", "3"], store.Commits);
    }

    /// <summary>A waiting commit includes the twelve that return soon. The other four are always too late.</summary>
    [Fact]
    public async Task Commit_waits_for_callers_of_whom_most_come_back_in_time()
    {
        var commits =
            await CommitsAsync([.. Enumerable.Repeat(1, 8), .. Enumerable.Repeat(3, 4), .. Enumerable.Repeat(40, 4)]);

        Assert.All(commits, callers => Assert.InRange(callers, 12, 16));
    }

    [Fact]
    public async Task Commit_waits_for_half_of_the_time_of_the_last_one_at_most()
    {
        var commits = await CommitsAsync([.. Enumerable.Range(1, 16)], turnMs: 0.1);

        Assert.Equal(16, commits[0]);
        Assert.InRange(commits[1], 5, 6);
    }

    /// <summary>Lets callers return after each of their commits of 1 ms. One thread runs all in turn.</summary>
    /// <param name="turns">After how many turns each caller is back.</param>
    /// <param name="turnMs">Time that passes when a caller comes, in milliseconds.</param>
    /// <returns>The callers of each commit.</returns>
    private static async Task<IReadOnlyList<int>> CommitsAsync(int[] turns, double turnMs = 0)
    {
        var runtime =
            EngineRuntime.OfProcess with { Scheduler = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler };
        var time = new ManualTime();
        var store = new CommitLog { Committing = () => time.Advance(TimeSpan.FromMilliseconds(1)) };
        var committer = new Committer(store, time, new Telemetry());
        var (waiting, committed, commits) = (new List<int>(), new List<int>(), new List<int>());
        var ended = new TaskCompletionSource<int[]>(TaskCreationOptions.RunContinuationsAsynchronously);
        var source = new Source { Store = store };
        source.Sealing = () =>
        {
            (waiting, committed) = ([], waiting);
            commits.Add(committed.Count);
            committer.AddWaiting(-committed.Count);
            return committed.Count;
        };
        source.Ended = () =>
        {
            if (commits.Count >= 20)
            {
                ended.TrySetResult([.. commits]);
                return;
            }

            foreach (var after in committed)
            {
                _ = In(after, () => Come(after));
            }
        };

        await In(1, () =>
        {
            waiting.AddRange(turns);
            committer.AddWaiting(turns.Length);
            committer.Offer(source);
        });
        return await ended.Task.WaitAsync(Cancel);

        void Come(int after)
        {
            time.Advance(TimeSpan.FromMilliseconds(turnMs));
            waiting.Add(after);
            committer.AddWaiting(1);
            if (waiting.Count == 1)
            {
                committer.Offer(source);
            }
        }

        Task In(int turns, Action action) => runtime.Run(async () =>
        {
            for (; turns > 1; turns--)
            {
                await Task.Yield();
            }

            action();
        });
    }

    private sealed class Source : IFlushSource
    {
        public CommitLog Store { get; init; } = new();
        public long Number { get; init; }
        public long Size { get; init; }
        public Action Ended { get; set; } = () => { };
        public Func<int> Sealing { get; set; } = () => 64;

        public FlushException? Outcome
        {
            set => Assert.Null(value);
        }

        public LaneFlush? SealBatch(out int awaited, out long size)
        {
            (awaited, size) = (Sealing(), Size);
            return new(Store, new FlushBatch { Number = Number });
        }

        public void EndFlush() => Ended();
    }

    /// <summary>Every lane, and all of them; keeps the numbers of the batches of each commit.</summary>
    private sealed class CommitLog : ILaneStore, ILaneGroup
    {
        public List<string> Commits { get; } = [];
        public Action Committing { get; init; } = () => { };

        public IDormantInstances Dormant => throw new NotSupportedException();

        public Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

        public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) =>
            FlushAsync([new(this, batch)], cancellationToken);

        public Task FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken)
        {
            Committing();
            Commits.Add(string.Join(' ', flushes.Select(f => f.Batch.Number)));
            return Task.CompletedTask;
        }

        public Task<IReadOnlyList<InstanceRow>> ReadInstancesAsync(
            IReadOnlyCollection<short> partitions, CancellationToken cancellationToken) =>
            throw new NotSupportedException();

        public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
            IReadOnlyCollection<string> keys, CancellationToken cancellationToken) => throw new NotSupportedException();

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}

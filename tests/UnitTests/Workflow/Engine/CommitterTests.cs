using Workflow.Engine.Diagnostics;
using Workflow.Engine.Flush;

namespace UnitTests.Workflow.Engine;

public sealed class CommitterTests
{
    private const int Rounds = 10;

    /// <summary>One lane would commit for all others, as long as these have something, and would not read its own mailbox.</summary>
    [Fact]
    public async Task Lane_goes_on_after_one_commit_of_a_store_that_answers_at_once_however_often_another_offers()
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

    /// <summary>A server takes so much in one message, and refuses what is larger: nobody would know then what is committed.</summary>
    [Fact]
    public async Task Lanes_that_together_have_more_than_a_server_takes_are_committed_one_after_the_other_in_their_order()
    {
        var store = new CommitLog();
        var committer = new Committer(store, new ManualTime(), new Telemetry());
        Source[] large = [.. Enumerable.Range(1, 3).Select(n => new Source { Store = store, Number = n, Size = 10 * 1_048_576 })];
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        large[^1].Ended = ended.SetResult;
        var first = new Source { Store = store, Ended = () => Array.ForEach(large, committer.Offer) };

        committer.Offer(first);
        await ended.Task.WaitAsync(Cancel);

        Assert.Equal(["0", "1 2", "3"], store.Commits);
    }

    private sealed class Source : IFlushSource
    {
        public CommitLog Store { get; init; } = new();
        public long Number { get; init; }
        public long Size { get; init; }
        public Action Ended { get; set; } = () => { };

        public FlushException? Outcome
        {
            set => Assert.Null(value);
        }

        public LaneFlush? SealBatch(out int awaited, out long size)
        {
            (awaited, size) = (64, Size);
            return new(Store, new FlushBatch { Number = Number });
        }

        public void EndFlush() => Ended();
    }

    /// <summary>Every lane, and all of them; keeps the numbers of the batches of each commit.</summary>
    private sealed class CommitLog : ILaneStore, ILaneGroup
    {
        public List<string> Commits { get; } = [];

        public Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

        public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) => FlushAsync([new(this, batch)], cancellationToken);

        public Task FlushAsync(IReadOnlyList<LaneFlush> flushes, CancellationToken cancellationToken)
        {
            Commits.Add(string.Join(' ', flushes.Select(f => f.Batch.Number)));
            return Task.CompletedTask;
        }

        public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
            IReadOnlyCollection<string> keys, CancellationToken cancellationToken) => throw new NotSupportedException();

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}

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

    private sealed class Source : IFlushSource
    {
        public Action Ended { get; set; } = () => { };

        public FlushException? Outcome
        {
            set => Assert.Null(value);
        }

        public LaneFlush? SealBatch(out int awaited)
        {
            awaited = 64;
            return new(new NoLane(), new FlushBatch { Number = 1 });
        }

        public void EndFlush() => Ended();
    }

    private sealed class NoLane : ILaneStore
    {
        public Task<LaneSnapshot> LoadAsync(CancellationToken cancellationToken) => throw new NotSupportedException();

        public Task FlushAsync(FlushBatch batch, CancellationToken cancellationToken) => Task.CompletedTask;

        public Task<IReadOnlyList<IdempotencyRow>> FindKeysAsync(
            IReadOnlyCollection<string> keys, CancellationToken cancellationToken) => throw new NotSupportedException();

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}

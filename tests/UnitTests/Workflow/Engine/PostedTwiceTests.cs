using Workflow.Engine.Commands;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

/// <summary>A message of a lane nearby may be read from the inbox, handled, and then handed over by its sender.</summary>
public sealed class PostedTwiceTests
{
    private readonly LaneExecutor _executor = new(new NoHost(), new WorkflowEngineOptions(), TimeProvider.System, EngineRuntime.OfProcess);

    [Fact]
    public void Message_posted_twice_is_applied_once_and_again_after_its_batch_was_rolled_back()
    {
        var now = TimeProvider.System.GetUtcNow();
        var signal = new AcceptedSignal
        {
            Id = Guid.CreateVersion7(), Partition = 0, Name = "go", CorrelationKey = "k", Position = 1, AcceptedUtc = now,
            ExpiresUtc = now.AddHours(1),
        };
        var body = new PartitionMessage { Signal = signal }.ToJson();
        var message = Message.Of(Guid.CreateVersion7(), 0, PartitionMessage.Return, body, 1);

        _executor.Execute(Post(message));
        _executor.Execute(Post(message));

        Assert.Equal([message.Id], _executor.Batch.Rows.PendingRemoved);
        Assert.Equal(1, _executor.StoredSignals);

        _executor.RollBack(_executor.TakeBatch());
        Assert.Equal(0, _executor.StoredSignals);
        _executor.Execute(Post(message));
        Assert.Equal([message.Id], _executor.Batch.Rows.PendingRemoved);
    }

    private static MessageLaneCommand Post(Message message) => new(
        message, load: 0, fromSnapshot: false, LaneTests.NewServices(new InMemoryStore(), TimeProvider.System, () => { }));
}

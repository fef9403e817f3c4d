using Workflow.Engine.Commands;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

/// <summary>A message of a lane on this node may be read from the inbox, handled and then handed over.</summary>
public sealed class PostedTwiceTests
{
    private readonly LaneState _state =
        new(new NoHost(), new WorkflowEngineOptions(), TimeProvider.System, EngineRuntime.OfProcess, new());

    [Fact]
    public void Message_posted_twice_is_applied_once()
    {
        var now = TimeProvider.System.GetUtcNow();
        var signal = new AcceptedSignal
        {
            Id = Guid.CreateVersion7(), Partition = 0, Name = "go", CorrelationKey = "k", Position = 1,
            AcceptedUtc = now,
            ExpiresUtc = now.AddHours(1),
        };
        var body = new PartitionMessage { Signal = signal }.ToJson();
        var message = Message.Of(Guid.CreateVersion7(), 0, PartitionMessage.Return, body, 1);

        _state.Execute(Post(message));
        _state.Execute(Post(message));

        Assert.Equal([message.Id], _state.Batch.Rows.PendingRemoved);
        Assert.Equal(1, _state.SignalStore.Stored.Count);

        _state.RollBack(_state.TakeBatch());
        Assert.Equal(0, _state.SignalStore.Stored.Count);
        _state.Execute(Post(message));
        Assert.Equal([message.Id], _state.Batch.Rows.PendingRemoved);
    }

    private static MessageLaneCommand Post(Message message) => new(
        message, load: 0, fromSnapshot: false,
        LaneTests.NewServices(new InMemoryStore(), TimeProvider.System, () => { }));
}

using Workflow.Engine.Commands;
using Workflow.Engine.Flush;

namespace UnitTests.Workflow.Engine;

/// <summary>Signals, subscriptions and messages as pending rows, and which of them a batch writes.</summary>
public sealed class PendingRowTests
{
    private static readonly DateTimeOffset Now = new(2026, 3, 4, 5, 6, 7, 891, 234, TimeSpan.Zero);

    private readonly JsonBuffer _json = new();

    [Fact]
    public void Signal_is_read_from_its_row_as_it_was_written_to_the_tick()
    {
        var byKey = NewSignal() with
        {
            CorrelationKey = "key \"ü\" \u0001\n", Payload = """{"text":"\u0000 漢","n":1.50}""",
            AcceptedUtc = Now.AddTicks(7),
            DueUtc = Now.AddHours(1), TraceParent = "00-1-2-01",
        };
        var toInstance = NewSignal() with { CorrelationKey = null, InstanceId = Guid.NewGuid() };

        Assert.Equal(byKey, AcceptedSignal.Of(byKey.ToRow(_json)));
        Assert.Equal(toInstance, AcceptedSignal.Of(toInstance.ToRow(_json)));
    }

    [Fact]
    public void Times_of_a_signal_are_read_in_UTC()
    {
        var row = new PendingRow(Guid.NewGuid(), 0, PendingKind.Signal, 1,
            """{"n":"go","y":"a","a":"2026-03-04T07:06:07.891234+02:00","x":"2026-03-04T05:06:07.8912340Z"}""");

        var signal = AcceptedSignal.Of(row);

        Assert.Equal((Now, TimeSpan.Zero), (signal.AcceptedUtc, signal.AcceptedUtc.Offset));
        Assert.Equal(Now, signal.ExpiresUtc);
    }

    [Fact]
    public void Subscription_and_message_round_trip_their_rows()
    {
        var subscription = new Subscription(Guid.NewGuid(), 3, "go", "key \"ü\"", Guid.NewGuid(), 5);
        var message = Message.Of(Guid.NewGuid(), 3, "deliver", """{"a":{"b":"}"}}""", 7);

        Assert.Equal(subscription, Subscription.Of(subscription.ToRow(_json)));
        Assert.Equal(message, Message.Of(message.ToRow()));
        Assert.Equal("""{"a":{"b":"}"}}""", Message.Of(message.ToRow()).Json.ToString());
    }

    [Fact]
    public void Row_consumed_in_its_own_batch_is_not_written()
    {
        var batch = new LaneBatch();
        batch.AddPending(NewSignal() with { Id = Guid.Empty });
        batch.RemovePending(Guid.Empty);

        Assert.False(batch.HasRows);
        Assert.True(batch.Seal(_json, 0).IsEmpty);
    }

    [Fact]
    public void Signal_from_another_node_replaces_its_message()
    {
        var (batch, signal) = (new LaneBatch(), NewSignal());
        batch.AddPending(signal);
        batch.RemoveMessage(signal.Id);

        var rows = batch.Seal(_json, 0);

        Assert.Equal([signal.Id], rows.PendingRemoved);
        Assert.Equal([signal.ToRow(_json)], rows.Pending);
    }

    private static AcceptedSignal NewSignal() => new()
    {
        Id = Guid.NewGuid(), Partition = 3, Name = "go", CorrelationKey = "a", Position = 1, AcceptedUtc = Now,
        ExpiresUtc = Now,
    };
}

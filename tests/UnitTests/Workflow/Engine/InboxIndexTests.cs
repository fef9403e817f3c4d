using Workflow.Engine.Commands;
using Workflow.Engine.Flush;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class InboxIndexTests
{
    private readonly InboxIndex _index = new();

    [Fact]
    public void Message_read_again_while_it_is_on_its_way_is_not_new()
    {
        var message = NewMessage();

        Assert.Equal([message], Read(message));
        Assert.Empty(Read(message));
        Assert.Equal(1, _index.Waiting);
    }

    [Fact]
    public void Message_removed_during_a_reading_is_not_new_in_that_reading_and_forgotten_after_it()
    {
        var message = NewMessage();
        Read(message);

        _index.BeginReading();
        _index.Removed([message.Id]);
        Assert.Empty(_index.EndReading([message]).Fresh);

        Assert.Equal(0, _index.Waiting);
        Assert.Equal([message], Read(message));
    }

    [Fact]
    public void Message_handed_over_by_a_lane_nearby_is_not_read_as_well()
    {
        var message = NewMessage();
        Read();
        _index.CatchUp((_, _) => { });

        Assert.NotNull(_index.TryAdd(message));
        Assert.Null(_index.TryAdd(message));

        Assert.Empty(Read(message));
    }

    [Fact]
    public void Message_of_a_lane_that_came_to_this_node_waits_until_those_it_sent_before_are_read()
    {
        var (before, held, unread) = (NewMessage(), NewMessage(), NewMessage());
        var posted = new List<Message>();
        Assert.Null(_index.TryAdd(held));
        Assert.Equal([before], Read(before));
        _index.FallBehind();
        _index.CatchUp((message, _) => posted.Add(message));
        Assert.Empty(posted);
        Assert.True(_index.IsBehind);

        Assert.Equal([unread], Read(before, unread));
        _index.CatchUp((message, _) => posted.Add(message));

        Assert.Equal([held], posted);
        Assert.False(_index.IsBehind);
    }

    [Fact]
    public void Load_keeps_what_is_stored_and_forgets_what_is_gone()
    {
        var (stored, gone) = (NewMessage(), NewMessage());
        Read(stored, gone);

        Load(stored);

        Assert.Equal(1, _index.Waiting);
        Assert.Equal([gone], Read(stored, gone));
    }

    /// <summary>The message was applied by a commit whose answer was lost: that it is gone shows only in what is loaded.</summary>
    [Fact]
    public void Message_that_a_load_finds_gone_during_a_reading_is_not_new_in_that_reading()
    {
        var (gone, fresh) = (NewMessage(), NewMessage());
        Read(gone);

        _index.BeginReading();
        Load();
        Load();
        Assert.Equal([fresh], _index.EndReading([gone, fresh]).Fresh);

        Assert.Equal(1, _index.Waiting);
    }

    [Fact]
    public void Message_held_back_that_a_load_finds_gone_is_not_posted()
    {
        var (gone, held) = (NewMessage(), NewMessage());
        Read(gone);
        Assert.Null(_index.TryAdd(gone));
        Assert.Null(_index.TryAdd(held));

        Load();
        var posted = new List<Message>();
        _index.CatchUp((message, _) => posted.Add(message));

        Assert.Equal([held], posted);
    }

    /// <summary>It came after the store was read. Its copy counts: a second one would be applied once more after the next load.</summary>
    [Fact]
    public void Message_that_comes_during_a_load_stays_known_and_is_posted_after_that_load()
    {
        var (read, handed) = (NewMessage(), NewMessage());
        Read();
        _index.CatchUp((_, _) => { });

        _index.BeginReading();
        _index.BeginLoad();
        var (fresh, load) = _index.EndReading([read]);
        Assert.Equal([read], fresh);
        Assert.Equal((1, 1), (load, _index.TryAdd(handed)));
        _index.EndLoad([]);

        Assert.Empty(Read(read, handed));
        Load();
        Assert.Equal([read, handed], Read(read, handed));
        Assert.Equal(2, _index.Loads);
    }

    /// <summary>The lane nearby that sent it learns of its own commit only by a load, after the message was read from the inbox.</summary>
    [Theory]
    [InlineData(true), InlineData(false)]
    public void Message_that_was_applied_is_not_taken_from_the_lane_that_hands_it_over_later(bool isFoundByLoad)
    {
        var message = NewMessage();
        Read(message);
        _index.CatchUp((_, _) => { });
        if (isFoundByLoad)
        {
            Load();
        }
        else
        {
            _index.Removed([message.Id]);
        }

        Assert.Null(_index.TryAdd(message));
        Assert.Equal(0, _index.Waiting);
    }

    /// <summary>Its definition could not be read.</summary>
    [Fact]
    public void Message_that_was_read_and_could_not_be_posted_is_new_to_the_next_reading()
    {
        var message = NewMessage();
        _index.Forget(Read(message));

        Assert.Equal([message], Read(message));
        Assert.Empty(Read(message));
    }

    private void Load(params Message[] stored)
    {
        _index.BeginLoad();
        _index.EndLoad([.. stored.Select(message => message.Id)]);
    }

    private IReadOnlyList<Message> Read(params Message[] messages)
    {
        _index.BeginReading();
        return _index.EndReading(messages).Fresh;
    }

    private static Message NewMessage() => Message.Of(Guid.NewGuid(), 0, "signal", "{}", 1);
}

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

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
        Assert.Empty(_index.EndReading([message]));

        Assert.Equal(0, _index.Waiting);
        Assert.Equal([message], Read(message));
    }

    [Fact]
    public void Message_handed_over_by_a_lane_nearby_is_not_read_as_well()
    {
        var message = NewMessage();
        Read();
        _index.CatchUp(_ => { });

        Assert.True(_index.TryAdd(message));
        Assert.False(_index.TryAdd(message));

        Assert.Empty(Read(message));
    }

    [Fact]
    public void Message_of_a_lane_that_came_to_this_node_waits_until_those_it_sent_before_are_read()
    {
        var (before, held, unread) = (NewMessage(), NewMessage(), NewMessage());
        var posted = new List<Message>();
        Assert.False(_index.TryAdd(held));
        Assert.Equal([before], Read(before));
        _index.FallBehind();
        _index.CatchUp(posted.Add);
        Assert.Empty(posted);
        Assert.True(_index.IsBehind);

        Assert.Equal([unread], Read(before, unread));
        _index.CatchUp(posted.Add);

        Assert.Equal([held], posted);
        Assert.False(_index.IsBehind);
    }

    [Fact]
    public void Load_keeps_what_is_stored_and_forgets_what_is_gone()
    {
        var (stored, gone) = (NewMessage(), NewMessage());
        Read(stored, gone);

        _index.Restart([stored.Id]);

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
        _index.Restart([]);
        _index.Restart([]);
        Assert.Equal([fresh], _index.EndReading([gone, fresh]));

        Assert.Equal(1, _index.Waiting);
    }

    [Fact]
    public void Message_held_back_that_a_load_finds_gone_is_not_posted()
    {
        var (gone, held) = (NewMessage(), NewMessage());
        Read(gone);
        Assert.False(_index.TryAdd(gone));
        Assert.False(_index.TryAdd(held));

        _index.Restart([]);
        var posted = new List<Message>();
        _index.CatchUp(posted.Add);

        Assert.Equal([held], posted);
    }

    private IReadOnlyList<Message> Read(params Message[] messages)
    {
        _index.BeginReading();
        return _index.EndReading(messages);
    }

    private static Message NewMessage() => Message.Of(Guid.NewGuid(), 0, "signal", "{}", 1);
}

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
    public void Message_removed_during_a_read_is_not_new_in_it()
    {
        var message = NewMessage();
        Read(message);

        _index.BeginReading();
        _index.MarkApplied([message.Id]);
        Assert.Empty(_index.EndReading([message]).Fresh);

        Assert.Equal(0, _index.Waiting);
        Assert.Equal([message], Read(message));
    }

    [Fact]
    public void Message_handed_over_by_a_lane_nearby_is_not_read_as_well()
    {
        var message = NewMessage();
        Read();
        _index.ReleaseHeld((_, _) => { });

        Assert.NotNull(_index.TryAdd(message));
        Assert.Null(_index.TryAdd(message));

        Assert.Empty(Read(message));
    }

    [Fact]
    public void Message_of_a_new_lane_waits_for_earlier_messages()
    {
        var (before, held, unread) = (NewMessage(), NewMessage(), NewMessage());
        var posted = new List<Message>();
        Assert.Null(_index.TryAdd(held));
        Assert.Equal([before], Read(before));
        _index.MarkBehind();
        _index.ReleaseHeld((message, _) => posted.Add(message));
        Assert.Empty(posted);
        Assert.True(_index.IsBehind);

        Assert.Equal([unread], Read(before, unread));
        _index.ReleaseHeld((message, _) => posted.Add(message));

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

    /// <summary>The message was applied by a commit whose answer was lost. Only a load shows that it is gone.</summary>
    [Fact]
    public void Message_gone_at_a_load_is_not_new_in_the_running_read()
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
        _index.ReleaseHeld((message, _) => posted.Add(message));

        Assert.Equal([held], posted);
    }

    /// <summary>The message arrived after the read. Its copy counts, or the next load would apply it again.</summary>
    [Fact]
    public void Message_received_during_a_load_is_posted_after_it()
    {
        var (read, handed) = (NewMessage(), NewMessage());
        Read();
        _index.ReleaseHeld((_, _) => { });

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

    /// <summary>Its sender on this node learns of its own commit only by a load, after the inbox was read.</summary>
    [Theory]
    [InlineData(true), InlineData(false)]
    public void Applied_message_is_not_taken_again_after_a_handover(bool isFoundByLoad)
    {
        var message = NewMessage();
        Read(message);
        _index.ReleaseHeld((_, _) => { });
        if (isFoundByLoad)
        {
            Load();
        }
        else
        {
            _index.MarkApplied([message.Id]);
        }

        Assert.Null(_index.TryAdd(message));
        Assert.Equal(0, _index.Waiting);
    }

    /// <summary>Its definition could not be read.</summary>
    [Fact]
    public void Message_that_was_not_posted_is_new_to_the_next_read()
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

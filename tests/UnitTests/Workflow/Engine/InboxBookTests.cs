using Workflow.Abstractions.Stores;
using Workflow.Engine.Lanes;
using Xunit;

namespace UnitTests.Workflow.Engine;

public sealed class InboxBookTests
{
    private readonly InboxBook _book = new();

    [Fact]
    public void Message_read_again_while_it_is_on_its_way_is_not_new()
    {
        var message = Message();

        Assert.Equal([message], Read(message));
        Assert.Empty(Read(message));
        Assert.Equal(1, _book.Waiting);
    }

    [Fact]
    public void Message_handled_while_a_reading_is_under_way_is_not_taken_from_that_reading_and_forgotten_after_it()
    {
        var message = Message();
        Read(message);

        _book.BeginReading();
        _book.Handled([message.Id]);
        Assert.Empty(_book.EndReading([message]));

        Assert.Equal(0, _book.Waiting);
        Assert.True(_book.TryAdd(message.Id));
    }

    [Fact]
    public void Message_handed_over_by_a_lane_nearby_is_not_read_as_well()
    {
        var message = Message();
        Assert.True(_book.TryAdd(message.Id));
        Assert.False(_book.TryAdd(message.Id));

        Assert.Empty(Read(message));
    }

    [Fact]
    public void Load_keeps_what_is_stored_and_forgets_what_was_withdrawn()
    {
        var (stored, withdrawn) = (Message(), Message());
        Read(stored, withdrawn);

        _book.Restart([stored.Id]);

        Assert.Equal(1, _book.Waiting);
        Assert.Equal([withdrawn], Read(stored, withdrawn));
    }

    private IReadOnlyList<MessageRow> Read(params MessageRow[] messages)
    {
        _book.BeginReading();
        return _book.EndReading(messages);
    }

    private static MessageRow Message() => new(Guid.NewGuid(), 0, "signal", "{}", 1);
}

using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Signals;
using Workflow.Engine.Commands;

namespace UnitTests.Workflow.Engine;

public sealed class RemoteReplyTests
{
    [Fact]
    public void Refusal_for_lack_of_room_keeps_its_retry_after()
    {
        var overloaded = Assert.Throws<OverloadedException>(
            () => Received(new OverloadedException(9, 8, TimeSpan.FromSeconds(7))));
        var full = Assert.Throws<SignalsFullException>(
            () => Received(new SignalsFullException("The key has 8 signals.", TimeSpan.FromSeconds(4))));

        Assert.Equal(TimeSpan.FromSeconds(7), overloaded.RetryAfter);
        Assert.Equal((TimeSpan.FromSeconds(4), "signals-full"), (full.RetryAfter, full.Code));
        Assert.StartsWith("The key has 8 signals. Retry after 4 s", full.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Result_that_is_nothing_is_one()
    {
        Assert.Null(Sent(RemoteReply.Of<SignalAccepted?>(null)).Get<SignalAccepted?>());
    }

    private static void Received(Exception refusal) => Sent(RemoteReply.Of(refusal)).Get<SignalAccepted>();

    private static RemoteReply Sent(RemoteReply reply) => RemoteReply.Parse(reply.ToJson());
}

using Workflow.Engine.Commands;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

/// <summary>What a caller gets: of a command that follows its lane, and after giving up.</summary>
public sealed class LaneCommandTests
{
    [Fact]
    public async Task Command_that_follows_its_lane_is_answered_as_if_it_were_new()
    {
        var command = new Answer(1) { Attempts = 3 };
        command.Refuse(new InvalidOperationException("by the lane before"));
        command.Fail(new LaneMovedException(7));

        var again = command.Copy();

        Assert.False(again.Completion.IsCompleted);
        Assert.Equal(0, again.Attempts);
        again.Apply(null!);
        again.Acknowledge();
        Assert.Equal(1, await again.Completion);
        await Assert.ThrowsAsync<LaneMovedException>(() => command.Completion);
    }

    [Fact]
    public async Task Command_that_follows_its_lane_drops_the_old_refusal()
    {
        var command = new Answer(1);
        command.Refuse(new InvalidOperationException("by the lane before"));

        var again = command.Copy();
        again.Acknowledge();

        Assert.Equal(0, await again.Completion);
    }

    [Fact]
    public async Task Command_continues_after_its_caller_gives_up()
    {
        using var patience = new CancellationTokenSource();
        var command = new Answer(1);
        await using var givingUp = command.CancelCompletionWith(patience.Token);

        await patience.CancelAsync();

        Assert.Equal(patience.Token,
            (await Assert.ThrowsAsync<TaskCanceledException>(() => command.Completion)).CancellationToken);
        command.Apply(null!);
        command.Acknowledge();
        Assert.True(command.Completion.IsCanceled);
    }

    [Fact]
    public async Task Caller_who_gives_up_too_late_has_the_answer()
    {
        using var patience = new CancellationTokenSource();
        var command = new Answer(1);
        await using var givingUp = command.CancelCompletionWith(patience.Token);
        command.Apply(null!);
        command.Acknowledge();

        await patience.CancelAsync();

        Assert.Equal(1, await command.Completion);
    }

    private sealed class Answer(int answer) : LaneCommand<int>
    {
        public override string Description => "question";

        public override void Apply(LaneState lane) => Succeed(answer);
    }
}

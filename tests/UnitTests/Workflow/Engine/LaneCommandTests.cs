using Workflow.Abstractions.Exceptions;
using Workflow.Engine.Commands;

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

        var again = command.Again();

        Assert.False(again.Completion.IsCompleted);
        Assert.Equal(0, again.Attempts);
        again.Apply(null!);
        again.Acknowledge();
        Assert.Equal(1, await again.Completion);
        await Assert.ThrowsAsync<LaneMovedException>(() => command.Completion);
    }

    [Fact]
    public async Task Command_that_follows_its_lane_keeps_no_refusal_of_the_lane_before()
    {
        var command = new Answer(1);
        command.Refuse(new InvalidOperationException("by the lane before"));

        var again = command.Again();
        again.Acknowledge();

        Assert.Equal(0, await again.Completion);
    }

    [Fact]
    public async Task Caller_who_gives_up_is_let_go_and_the_command_goes_on()
    {
        using var patience = new CancellationTokenSource();
        var command = new Answer(1);
        await using var givingUp = command.GiveUpWith(patience.Token);

        await patience.CancelAsync();

        Assert.Equal(patience.Token, (await Assert.ThrowsAsync<TaskCanceledException>(() => command.Completion)).CancellationToken);
        command.Apply(null!);
        command.Acknowledge();
        Assert.True(command.Completion.IsCanceled);
    }

    [Fact]
    public async Task Caller_who_gives_up_too_late_has_the_answer()
    {
        using var patience = new CancellationTokenSource();
        var command = new Answer(1);
        await using var givingUp = command.GiveUpWith(patience.Token);
        command.Apply(null!);
        command.Acknowledge();

        await patience.CancelAsync();

        Assert.Equal(1, await command.Completion);
    }

    private sealed class Answer(int answer) : LaneCommand<int>
    {
        public override string Description => "question";

        public override void Apply(LaneContext lane) => Succeed(answer);
    }
}

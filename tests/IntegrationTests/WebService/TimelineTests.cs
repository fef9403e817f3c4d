using Workflow.WebService.Ui;

namespace IntegrationTests.WebService;

/// <summary>The timeline of an instance, drawn from its history.</summary>
public sealed class TimelineTests
{
    private static readonly DateTimeOffset Begin = new(2026, 1, 31, 12, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Retry_is_drawn_with_its_last_error()
    {
        var picture = Draw(
            InstanceState.Failed,
            new(At(0), "started", "call"), new(At(0), "waiting", "call", "http"),
            new(At(2), "attemptFailed", "call", "1 of 2: <refused>"), new(At(8), "activityFailed", "call", "no answer"),
            new(At(10), "failed", "call"));

        Assert.Contains("class=\"wait\" x=\"0%\" y=\"4\" width=\"19.8%\"", picture, StringComparison.Ordinal);
        Assert.Contains("class=\"retry\" x=\"19.8%\" y=\"4\" width=\"59.4%\"", picture, StringComparison.Ordinal);
        Assert.Contains("attemptFailed: 1 of 2: &lt;refused&gt;, 6 s</title>", picture, StringComparison.Ordinal);
        Assert.Contains("3 failed", picture, StringComparison.Ordinal);
        Assert.Contains("the last: no answer", picture, StringComparison.Ordinal);
        Assert.Equal(3, picture.Split("<rect class=\"bad\"").Length - 1);
    }

    [Fact]
    public void Open_wait_of_a_live_instance_lasts_until_now()
    {
        HistoryEntry[] history = [new(At(0), "started", "wait"), new(At(5), "waiting", "wait", "answer")];

        var live = Draw(InstanceState.Waiting, history);
        var over = Draw(InstanceState.Cancelled, [.. history, new(At(10), "cancelled")]);

        Assert.Contains("waiting: answer, 15 s</title>", live, StringComparison.Ordinal);
        Assert.Contains("waiting: answer, 5 s</title>", over, StringComparison.Ordinal);
        Assert.Contains("<span class=\"step\">Instance</span>", over, StringComparison.Ordinal);
    }

    [Fact]
    public void Long_history_is_drawn_up_to_a_bound()
    {
        var history = Enumerable.Range(0, 1_000)
            .Select(second => new HistoryEntry(At(second), "set", $"step {second % 7}"));

        var picture = Draw(InstanceState.Running, [.. history]);

        Assert.Equal(400, picture.Split("<rect").Length - 1);
        Assert.Contains("The history is longer", picture, StringComparison.Ordinal);
    }

    private static DateTimeOffset At(int second) => Begin.AddSeconds(second);

    private static string Draw(InstanceState state, params IReadOnlyList<HistoryEntry> history)
    {
        var view = new InstanceView
        {
            Id = Guid.NewGuid(), Definition = "order", Version = 1, State = state, Variables = default, Waits = [],
            CreatedUtc = Begin, UpdatedUtc = Begin,
        };
        return Timeline.Of(view, history, At(20)).ToString();
    }
}

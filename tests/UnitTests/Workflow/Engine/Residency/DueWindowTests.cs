using Workflow.Contracts.Instances;
using Workflow.Engine.Residency;

namespace UnitTests.Workflow.Engine.Residency;

public sealed class DueWindowTests
{
    private static readonly DateTimeOffset s_now = DateTimeOffset.UnixEpoch.AddYears(50);
    private readonly DueWindow _window = new();

    [Fact]
    public void Page_that_is_not_full_has_all_timers_of_the_next_ten_seconds()
    {
        Assert.True(_window.NextReadUtc <= s_now);
        var page = _window.Begin(s_now);
        Assert.Equal((null, s_now.AddSeconds(10)), (page.After, page.Until));
        Assert.Null(_window.NextReadUtc);
        Assert.Equal(DateTimeOffset.MinValue, _window.FiresUntil);

        _window.End(page, [Due(1)]);

        Assert.Equal((s_now.AddSeconds(10), s_now.AddSeconds(9)), (_window.FiresUntil, _window.NextReadUtc));
        Assert.Equal((s_now.AddSeconds(10), Guid.AllBitsSet), _window.Begin(s_now).After);
    }

    [Fact]
    public void Full_page_ends_at_its_last_timer()
    {
        var page = _window.Begin(s_now);
        DormantDue[] read = [.. Enumerable.Range(0, page.Limit).Select(i => Due(i * 0.001))];

        _window.End(page, read);

        Assert.Equal(read[^1].DueUtc, _window.FiresUntil);
        Assert.Equal((read[^1].DueUtc, read[^1].Row.Id), _window.Begin(s_now).After);
    }

    /// <summary>The page may not have it: the instance was in memory, or has another timer now.</summary>
    [Fact]
    public void Instance_with_a_timer_that_a_page_may_have_stays_in_memory()
    {
        Assert.Equal(DateTimeOffset.MinValue, _window.StaysUntil);
        var page = _window.Begin(s_now);
        Assert.Equal(page.Until, _window.StaysUntil);

        _window.End(page, [.. Enumerable.Range(0, page.Limit).Select(_ => Due(2))]);

        Assert.Equal(s_now.AddSeconds(2), _window.StaysUntil);
    }

    /// <summary>The row is of before the instance was woken: it may have changed, or ended, since.</summary>
    [Fact]
    public void Instance_that_has_left_memory_while_a_page_was_read_is_not_taken_from_it()
    {
        var (before, meanwhile, other) = (Due(1), Due(2), Due(3));
        _window.Leave(before.Row.Id);
        var page = _window.Begin(s_now);
        _window.Leave(meanwhile.Row.Id);

        Assert.Equal([before.Row, other.Row], _window.End(page, [before, meanwhile, other]));

        var next = _window.Begin(s_now);
        Assert.Equal([meanwhile.Row], _window.End(next, [meanwhile]));
    }

    private static DormantDue Due(double seconds) => new(
        new()
        {
            Id = Guid.CreateVersion7(), Partition = 1, Definition = "d", DefinitionVersion = 1, Revision = 1,
            State = InstanceState.Waiting, Body = "{}", CreatedUtc = s_now, UpdatedUtc = s_now,
        },
        s_now.AddSeconds(seconds));
}

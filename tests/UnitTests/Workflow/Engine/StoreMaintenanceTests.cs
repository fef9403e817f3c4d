using IntegrationTests.Shared.Faults;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class StoreMaintenanceTests
{
    private const int RowsPerSecond = 1_800;

    private readonly ManualTime _time = new();

    /// <summary>What a minute leaves went at its end, 54 portions at once: some seconds of each minute were much slower.</summary>
    [Fact]
    public async Task Portions_are_removed_at_the_pace_at_which_they_fill()
    {
        var portions = new List<(TimeSpan At, int Rows)>();
        var began = _time.GetUtcNow();
        var removed = 0;
        var store = Store(request =>
        {
            var at = _time.GetUtcNow() - began;
            var rows = Math.Min(request.Limit, (int)(RowsPerSecond * at.TotalSeconds) - removed);
            removed += rows;
            portions.Add((at, rows));
            return rows == request.Limit;
        });

        await RunAsync(store, TimeSpan.FromMinutes(5));

        Assert.InRange((int)(RowsPerSecond * (_time.GetUtcNow() - began).TotalSeconds) - removed, 0, 2 * RowsPerSecond);
        var bySecond = portions.Where(p => p.At.TotalSeconds is >= 30 and < 300).GroupBy(p => (int)p.At.TotalSeconds).ToArray();
        Assert.Equal(270, bySecond.Length);
        Assert.All(bySecond, second => Assert.InRange(second.Sum(p => p.Rows), 500, 2 * RowsPerSecond));
    }

    [Theory]
    [InlineData(0, 1), InlineData(20, 20), InlineData(8_000, 8_000)]
    public async Task Pauses_are_no_shorter_than_asked_for_while_more_is_left_and_no_longer_than_five_seconds_without(
        int asked, int shortest)
    {
        var hasMore = true;
        var calls = new List<DateTimeOffset>();
        var store = Store(_ =>
        {
            calls.Add(_time.GetUtcNow());
            return hasMore;
        });
        await RunAsync(store, TimeSpan.FromMinutes(1), asked);
        Assert.Equal(TimeSpan.FromMilliseconds(shortest), calls[^1] - calls[^2]);

        hasMore = false;
        await RunAsync(store, TimeSpan.FromMinutes(1), asked);
        Assert.Equal(TimeSpan.FromMilliseconds(Math.Max(5_000, shortest)), calls[^1] - calls[^2]);
    }

    [Fact]
    public async Task Failure_is_tried_again_after_the_longest_pause_and_who_does_not_own_the_first_lane_removes_nothing()
    {
        var calls = new List<DateTimeOffset>();
        var store = Store(_ =>
        {
            calls.Add(_time.GetUtcNow());
            return calls.Count < 5 ? true : throw new TimeoutException("planted");
        });

        await RunAsync(store, TimeSpan.FromSeconds(30), isOwner: () => false);
        Assert.Empty(calls);
        await RunAsync(store, TimeSpan.FromSeconds(30));

        Assert.InRange(calls.Count, 7, 10);
        Assert.Equal(TimeSpan.FromSeconds(5), calls[^1] - calls[^2]);
    }

    /// <summary>A dozen operations that ran five seconds after the start would have paid for six statements more.</summary>
    [Fact]
    public async Task What_cannot_fill_a_portion_waits_for_a_minute()
    {
        var calls = new List<TimeSpan>();
        var (flushes, began) = (999L, _time.GetUtcNow());
        var store = Store(_ =>
        {
            calls.Add(_time.GetUtcNow() - began);
            return false;
        });

        await RunAsync(store, TimeSpan.FromMinutes(2), flushes: () => calls.Count == 0 ? flushes : flushes + 999);

        Assert.Equal([TimeSpan.FromMinutes(1), TimeSpan.FromMinutes(2)], calls);
    }

    private static FaultyStore Store(Func<TrimRequest, bool> trim) => new(new InMemoryStore()) { Trim = trim };

    /// <summary>Lets the clock go from timer to timer for so long.</summary>
    /// <param name="flushes">As many as fill a portion each time that somebody asks, by default.</param>
    private async Task RunAsync(
        FaultyStore store, TimeSpan duration, int pause = 20, Func<bool>? isOwner = null, Func<long>? flushes = null)
    {
        var (retention, asked) = (new RetentionOptions { Pause = TimeSpan.FromMilliseconds(pause) }, 0L);
        var maintenance = new StoreMaintenance(
            store, retention, _time, NullLogger.Instance, isOwner ?? (() => true), flushes ?? (() => retention.Portion * ++asked));
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        var running = maintenance.RunAsync(stop.Token);
        for (var end = _time.GetUtcNow() + duration; _time.GetUtcNow() < end;)
        {
            if (running.IsCompleted)
            {
                await running;
            }

            if (!_time.AdvanceToNext())
            {
                await Task.Yield();
            }
        }

        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => running);
    }
}

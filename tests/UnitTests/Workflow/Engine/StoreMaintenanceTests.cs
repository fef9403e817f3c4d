using IntegrationTests.Shared.Faults;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Engine.Lanes;

namespace UnitTests.Workflow.Engine;

public sealed class StoreMaintenanceTests
{
    private const int RowsPerSecond = 1_800;

    private readonly ManualTime _time = new();

    /// <summary>
    /// Removing a minute's 54 portions at once at its end makes some seconds of each minute much slower.
    /// </summary>
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
        var bySecond =
            portions.Where(p => p.At.TotalSeconds is >= 30 and < 300).GroupBy(p => (int)p.At.TotalSeconds).ToArray();
        Assert.Equal(270, bySecond.Length);
        Assert.All(bySecond, second => Assert.InRange(second.Sum(p => p.Rows), 500, 2 * RowsPerSecond));
    }

    [Theory]
    [InlineData(0, 1), InlineData(20, 20), InlineData(8_000, 8_000)]
    public async Task Pauses_are_between_the_requested_and_five_seconds(int asked, int shortest)
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
    public async Task Failure_is_retried_after_the_longest_pause()
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

    /// <summary>A dozen operations five seconds after the start would have paid for six more statements.</summary>
    [Fact]
    public async Task Incomplete_portion_waits_for_a_minute()
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
            store, retention, _time, NullLogger.Instance, isOwner ?? (() => true),
            flushes ?? (() => retention.Portion * ++asked));
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

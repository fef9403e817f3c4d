using System.Diagnostics;
using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load.Operations;

/// <summary>Operations that begin, publish, complete and rest at known ticks are tallied.</summary>
public sealed class OperationTallyTests : IDisposable
{
    private const string Completed = "Completed";
    private readonly EventAwaiter _awaiter = new();
    private long _number;

    [Fact]
    public void Completed_operation_is_measured_from_each_of_its_origins()
    {
        var tally = new OperationTally(TimeSpan.Zero);

        tally.Add(Operation(began: 100, published: 120, completed: 150, idle: 190));
        tally.AddIdle(Ms(195));

        Assert.Equal((1, 1), (tally.Completed, tally.Count(SendOutcome.Accepted)));
        Assert.Equal(50, tally.Latency.MaxMs, 3);
        Assert.Equal(30, tally.SignalToFirstCompletion.MaxMs, 3);
        Assert.Equal(70, tally.SignalToCompletion.MaxMs, 3);
        Assert.Equal(45, tally.DrainToIdle.MaxMs, 3);
        Assert.Equal(50, tally.Duration.TotalMilliseconds, 3);
    }

    [Fact]
    public void Publish_lag_is_the_mean_over_operations_with_one()
    {
        var tally = new OperationTally(TimeSpan.FromMilliseconds(500));
        Assert.Null(tally.PublishedAfterMs);

        tally.Add(Operation(began: 100, published: 120, completed: 750, idle: 0));
        tally.Add(Operation(began: 100, published: 130, completed: 750, idle: 0));
        tally.Add(Operation(began: 100, published: 0, completed: 750, idle: 0));

        Assert.Equal((25, 525), (tally.PublishedAfterMs!.Value, tally.DueAfterMs!.Value));
    }

    [Fact]
    public void Duration_is_from_the_first_beginning_to_the_last_completion()
    {
        var tally = new OperationTally(TimeSpan.Zero);

        tally.Add(Operation(began: 300, published: 0, completed: 310, idle: 0));
        tally.Add(Operation(began: 100, published: 0, completed: 150, idle: 0));

        Assert.Equal(210, tally.Duration.TotalMilliseconds, 3);
        Assert.Equal((0, 0), (tally.SignalToFirstCompletion.Count, tally.SignalToCompletion.Count));
    }

    [Fact]
    public void Operation_that_did_not_complete_is_counted_and_not_measured()
    {
        var tally = new OperationTally(TimeSpan.Zero);

        tally.Add(Operation(began: 100, published: 120, completed: null, idle: 190, SendOutcome.Unknown));
        tally.AddIdle(Ms(195));

        Assert.Equal((0, 1, 0), (tally.Completed, tally.Count(SendOutcome.Unknown), tally.Count(SendOutcome.Accepted)));
        Assert.Equal((0, 0, TimeSpan.Zero), (tally.SignalToCompletion.Count, tally.DrainToIdle.Count, tally.Duration));
    }

    [Fact]
    public void Completion_makes_an_operation_without_answer_accepted()
    {
        var tally = new OperationTally(TimeSpan.Zero);

        tally.Add(Operation(began: 100, published: 120, completed: 150, idle: 190, SendOutcome.Unknown));

        Assert.Equal((1, 0, 1), (tally.Completed, tally.Count(SendOutcome.Unknown), tally.Count(SendOutcome.Accepted)));
    }

    [Fact]
    public void Delayed_signal_is_early_beyond_what_two_clocks_may_differ()
    {
        var tally = new OperationTally(TimeSpan.FromMilliseconds(2_000));

        tally.Add(Operation(began: 100, published: 100, completed: 2_090, idle: 0));
        tally.Add(Operation(began: 100, published: 100, completed: 2_096, idle: 0));
        tally.Add(Operation(began: 100, published: 100, completed: 2_103, idle: 0));

        Assert.Equal(1, tally.Early);
        Assert.Equal(3, tally.DueToCompletion.MaxMs, 3);
    }

    public void Dispose() => _awaiter.Dispose();

    private static long Ms(long milliseconds) => milliseconds * Stopwatch.Frequency / 1_000;

    private Operation Operation(
        long began, long published, long? completed, long idle, SendOutcome outcome = SendOutcome.Accepted)
    {
        var key = $"{_number}";
        var wait = _awaiter.Register(Completed, key, TimeSpan.FromMinutes(1));
        if (completed is { } ticks)
        {
            _awaiter.Observe(Completed, key, Ms(ticks));
        }

        return new Operation(_number++, key, wait, Ms(began)) { PublishedTicks = Ms(published), IdleTicks = Ms(idle),
            Outcome = outcome };
    }
}

using System.Diagnostics;
using System.Runtime.CompilerServices;
using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load;

/// <summary>What was begun, published, completed and idle at known ticks is tallied as such.</summary>
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
    public void Publishes_are_late_by_the_mean_of_the_operations_that_had_one()
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
    public void Operation_whose_answer_was_lost_counts_as_accepted_once_its_completion_is_seen()
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

    private Operation Operation(long began, long published, long? completed, long idle, SendOutcome outcome = SendOutcome.Accepted)
    {
        var key = $"{_number}";
        var wait = _awaiter.Register(Completed, key, TimeSpan.FromMinutes(1));
        if (completed is { } ticks)
        {
            _awaiter.Observe(Completed, key, Ms(ticks));
        }

        return new Operation(_number++, key, wait, Ms(began)) { PublishedTicks = Ms(published), IdleTicks = Ms(idle), Outcome = outcome };
    }
}

/// <summary>Where operations follow one another for hours, nothing is kept of one that is over, however it ended.</summary>
public sealed class ContinuousBatchTests : IDisposable
{
    private const string Completed = "Completed";
    private readonly EventAwaiter _awaiter = new();
    private readonly OperationBatch _batch;

    public ContinuousBatchTests() => _batch = new(_awaiter, new()
    {
        CompletionEvent = Completed,
        Shape = BatchShape.Continuous,
        WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
        IsRefusal = error => error is NotSupportedException,
    });

    [Fact]
    public async Task Refused_operation_is_over_whether_an_answer_or_an_error_refused_it()
    {
        for (var number = 0; number < 1_000; number += 2)
        {
            await _batch.SendAsync(_batch.Begin(), () => Task.FromResult(false), isAccepted: answer => answer);
            await Assert.ThrowsAsync<NotSupportedException>(() => SendAsync(_batch.Begin(), () => throw new NotSupportedException()));
        }

        Assert.Equal((null, null), (_batch.Find(0), _batch.Find(999)));
        Assert.Equal(1_000, _batch.Tally.Count(SendOutcome.Refused));
        await _batch.SettleAsync(Cancel);
        Assert.Equal((1_000, 0), (_batch.Tally.Count(SendOutcome.Refused), _batch.Tally.Completed));
    }

    [Fact]
    public async Task Operation_whose_request_failed_is_kept_until_its_completion_came_and_no_longer()
    {
        var unanswered = _batch.Begin();
        await Assert.ThrowsAsync<TimeoutException>(() => SendAsync(unanswered, () => throw new TimeoutException()));
        _batch.Leave(unanswered);
        var unpublished = await AcceptedAsync();
        _batch.Leave(unpublished);
        Assert.Equal((unanswered, unpublished), (_batch.Find(0), _batch.Find(1)));

        _awaiter.Observe(Completed, unanswered.Key);
        _awaiter.Observe(Completed, unpublished.Key);
        _batch.Leave(await AcceptedAsync());

        Assert.Equal((null, null), (_batch.Find(0), _batch.Find(1)));
        Assert.Equal((2, 2), (_batch.Tally.Count(SendOutcome.Accepted), _batch.Tally.Completed));
    }

    [Fact]
    public async Task Wait_for_one_more_event_is_kept_until_the_event_came_and_no_longer()
    {
        var waits = Enumerable.Range(0, 100).Select(_ => OneMore()).ToList();
        var last = _batch.Begin();
        _awaiter.Observe(Completed, last.Key);
        var open = _batch.Expect("more", last);
        _batch.Expect("refused", last).Withdraw();
        GC.Collect();
        Assert.DoesNotContain(waits, wait => wait.IsAlive);

        var settling = _batch.SettleAsync(Cancel);
        Assert.False(settling.IsCompleted);
        _awaiter.Observe("more", last.Key);
        await settling;
        Assert.True(open.Arrival.IsCompletedSuccessfully);
    }

    public void Dispose() => _awaiter.Dispose();

    private async Task<Operation> AcceptedAsync()
    {
        var operation = _batch.Begin();
        await SendAsync(operation, () => Task.FromResult<IResponse>(Response.Ok()));
        return operation;
    }

    private Task SendAsync(Operation operation, Func<Task<IResponse>> send) => _batch.SendAsync(operation, send);

    /// <summary>Apart, so that no local of a test keeps the wait alive.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference OneMore()
    {
        var operation = _batch.Begin();
        var wait = _batch.Expect("more", operation);
        _awaiter.Observe("more", operation.Key);
        _awaiter.Observe(Completed, operation.Key);
        _batch.Complete(operation, Stopwatch.GetTimestamp());
        return new(wait);
    }
}

using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load.Events;

public sealed class EventAwaiterTests : IDisposable
{
    private const string Completed = "WorkflowCompleted";

    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private readonly ManualTime _time = new();
    private readonly EventAwaiter _awaiter;

    public EventAwaiterTests() => _awaiter = new EventAwaiter(timeProvider: _time);

    public void Dispose() => _awaiter.Dispose();

    [Fact]
    public async Task A_wait_ends_with_the_timestamp_the_consumer_took()
    {
        var wait = _awaiter.Register(Completed, "1", s_second);
        var stamped = _time.GetTimestamp() + 7;
        _time.Advance(TimeSpan.FromMilliseconds(500));

        _awaiter.Observe(Completed, "1", stamped);

        Assert.Equal(new EventArrival(false, stamped), await wait.Arrival);
        Expect(registered: 1, observed: 1, matched: 1);
    }

    [Fact]
    public async Task Only_the_event_of_the_same_type_and_id_ends_a_wait()
    {
        var wait = _awaiter.Register(Completed, "1", s_second);

        _awaiter.Observe(Completed, "2");
        _awaiter.Observe("WorkflowStarted", "1");
        Assert.False(wait.Arrival.IsCompleted);
        _awaiter.Observe(Completed, "1");

        Assert.False((await wait.Arrival).IsLost);
        Expect(registered: 1, observed: 3, matched: 1, buffered: 2);
    }

    [Fact]
    public async Task Early_event_is_kept_with_its_timestamp()
    {
        var stamped = _time.GetTimestamp();
        _awaiter.Observe(Completed, "1", stamped);
        _time.Advance(s_second);

        var wait = _awaiter.Register(Completed, "1", s_second);

        Assert.True(wait.Arrival.IsCompletedSuccessfully);
        Assert.Equal(stamped, (await wait.Arrival).Timestamp);
        Expect(registered: 1, observed: 1, matched: 1);
    }

    [Fact]
    public void Early_event_without_a_wait_is_unmatched_at_its_deadline()
    {
        _awaiter.Observe(Completed, "1");
        Expect(observed: 1, buffered: 1);

        _time.Advance(TimeSpan.FromSeconds(31));

        Expect(observed: 1, unmatched: 1);
    }

    [Fact]
    public void Events_without_a_wait_are_counted_by_type()
    {
        _awaiter.Register(Completed, "1", s_second);
        _awaiter.Observe(Completed, "1");
        _awaiter.Observe(Completed, "2");
        _awaiter.Observe("WorkflowStarted", "1");
        Assert.Equal(1, _awaiter.CountUnexpected(Completed));
        Assert.Equal(1, _awaiter.CountUnexpected("WorkflowStarted"));
        Assert.Equal(0, _awaiter.CountUnexpected("WorkflowFailed"));

        _awaiter.Register(Completed, "2", s_second);
        Assert.Equal(0, _awaiter.CountUnexpected(Completed));

        _time.Advance(TimeSpan.FromSeconds(31));
        _awaiter.Observe(Completed, "1");
        _awaiter.Observe(Completed, "1");
        Assert.Equal(1, _awaiter.CountUnexpected(Completed));
        Expect(registered: 2, observed: 5, matched: 2, unmatched: 1, duplicate: 1, buffered: 1);
    }

    [Fact]
    public async Task Wait_without_its_event_is_lost_at_its_deadline()
    {
        var wait = _awaiter.Register(Completed, "1", s_second);
        var deadline = _time.GetTimestamp() + s_second.Ticks;

        _time.Advance(s_second - TimeSpan.FromMilliseconds(1));
        Assert.False(wait.Arrival.IsCompleted);
        _time.Advance(TimeSpan.FromMilliseconds(21));

        Assert.Equal(new EventArrival(true, deadline), await wait.Arrival);
        Expect(registered: 1, lost: 1);
    }

    [Fact]
    public void An_event_after_the_timeout_is_late()
    {
        _awaiter.Register(Completed, "1", s_second);
        _time.Advance(2 * s_second);

        _awaiter.Observe(Completed, "1");

        Expect(registered: 1, observed: 1, lost: 1, late: 1);
    }

    [Fact]
    public async Task Event_stamped_after_the_deadline_is_late()
    {
        var wait = _awaiter.Register(Completed, "1", s_second);

        _awaiter.Observe(Completed, "1", _time.GetTimestamp() + s_second.Ticks + 1);

        Assert.True((await wait.Arrival).IsLost);
        Expect(registered: 1, observed: 1, lost: 1, late: 1);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Further_events_of_a_wait_are_duplicates(bool isRegisteredFirst)
    {
        if (isRegisteredFirst)
        {
            _awaiter.Register(Completed, "1", s_second);
        }

        _awaiter.Observe(Completed, "1");
        _awaiter.Observe(Completed, "1");
        if (!isRegisteredFirst)
        {
            _awaiter.Register(Completed, "1", s_second);
        }

        _awaiter.Observe(Completed, "1");

        Expect(registered: 1, observed: 3, matched: 1, duplicate: 2);
    }

    [Fact]
    public void A_duplicate_of_a_late_event_is_a_duplicate()
    {
        _awaiter.Register(Completed, "1", s_second);
        _time.Advance(2 * s_second);

        _awaiter.Observe(Completed, "1");
        _awaiter.Observe(Completed, "1");

        Expect(registered: 1, observed: 2, lost: 1, late: 1, duplicate: 1);
    }

    [Fact]
    public async Task A_withdrawn_wait_is_neither_matched_nor_lost()
    {
        var wait = _awaiter.Register(Completed, "1", s_second);

        wait.Withdraw();
        wait.Withdraw();
        _time.Advance(2 * s_second);
        _awaiter.Observe(Completed, "1");

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => wait.Arrival);
        Expect(registered: 1, observed: 1, withdrawn: 1, unmatched: 1);
    }

    [Fact]
    public void Second_wait_for_one_event_is_refused_by_name()
    {
        _awaiter.Register(Completed, "17", s_second);

        var error = Assert.Throws<InvalidOperationException>(() => _awaiter.Register(Completed, "17", s_second));

        Assert.Contains("WorkflowCompleted '17'", error.Message, StringComparison.Ordinal);
        Expect(registered: 1, pending: 1);
    }

    [Fact]
    public void The_same_wait_may_follow_one_that_has_ended()
    {
        _awaiter.Register(Completed, "1", s_second);
        _awaiter.Observe(Completed, "1");

        var second = _awaiter.Register(Completed, "1", s_second);
        Assert.False(second.Arrival.IsCompleted);
        _awaiter.Observe(Completed, "1");
        _time.Advance(TimeSpan.FromMinutes(2));

        Expect(registered: 2, observed: 2, matched: 2);
    }

    [Fact]
    public void Only_reordering_within_a_stream_is_counted()
    {
        foreach (var (stream, number) in new[] { ("a", 1), ("b", 9), ("a", 5), ("a", 5), ("b", 8), ("a", 3), ("a", 6) })
        {
            _awaiter.Observe(Completed, $"{stream}{number}", _time.GetTimestamp(), new EventSequence(stream, number));
        }

        Assert.Equal(2, _awaiter.Snapshot().OutOfOrder);
    }

    [Fact]
    public void What_is_remembered_is_forgotten_after_its_time()
    {
        _awaiter.Register(Completed, "1", s_second);
        _awaiter.Observe(Completed, "1");
        _time.Advance(TimeSpan.FromSeconds(35));

        _awaiter.Observe(Completed, "1");

        Expect(registered: 1, observed: 2, matched: 1, buffered: 1);
    }

    [Fact]
    public void Events_beyond_the_memory_bound_are_counted()
    {
        using var small = new EventAwaiter(new EventAwaiterOptions { MaximumEntries = 16 }, _time);
        for (var id = 0; id < 1_000; id++)
        {
            small.Observe(Completed, $"{id}");
        }

        var counts = small.Snapshot();
        Assert.InRange(counts.Buffered, 1, 16);
        Assert.Equal(1_000, counts.Buffered + counts.Overflowed);
        var error = Assert.Throws<InvalidOperationException>(() =>
        {
            for (var id = 1_000; id < 2_000; id++)
            {
                small.Register(Completed, $"{id}", s_second);
            }
        });
        Assert.Contains("MaximumEntries", error.Message, StringComparison.Ordinal);
        Assert.Equal(small.Snapshot().Registered, small.Snapshot().Pending);
    }

    [Fact]
    public void Each_of_many_waits_ends_at_its_deadline()
    {
        var waits = Enumerable.Range(1, 5_000)
            .Select(ms => _awaiter.Register(Completed, $"{ms}", TimeSpan.FromMilliseconds(ms * 10))).ToArray();

        for (var step = 1; step <= 10; step++)
        {
            _time.Advance(TimeSpan.FromSeconds(5));
            Assert.InRange(waits.Count(wait => wait.Arrival.IsCompleted), (step * 500) - 2, step * 500);
        }

        _time.Advance(s_second);
        Expect(registered: 5_000, lost: 5_000);
    }

    [Fact]
    public async Task Continuations_never_run_on_the_thread_of_the_consumer()
    {
        var wait = _awaiter.Register(Completed, "1", s_second);
        var release = new TaskCompletionSource<int>();
        var continuation = ContinueAsync();

        _awaiter.Observe(Completed, "1");
        release.SetResult(Environment.CurrentManagedThreadId);

        // Run inline, it would wait for this thread and never see the release.
        Assert.True(await continuation.WaitAsync(TimeSpan.FromSeconds(60), Cancel));

        async Task<bool> ContinueAsync()
        {
            await wait.Arrival.ConfigureAwait(false);
            return release.Task.Wait(TimeSpan.FromSeconds(30), Cancel);
        }
    }

    [Fact]
    public async Task Concurrent_waits_and_events_balance_to_the_unit()
    {
        using var awaiter = new EventAwaiter(new EventAwaiterOptions { Memory = TimeSpan.FromMinutes(5) });
        await Task.WhenAll(Enumerable.Range(0, 4).Select(part => Task.Run(async () =>
        {
            for (var i = 0; i < 5_000; i++)
            {
                var id = $"{part}-{i}";
                var observer = Task.Run(() => awaiter.Observe(Completed, id));
                var wait = awaiter.Register(Completed, id, TimeSpan.FromMinutes(1));
                Assert.False((await wait.Arrival).IsLost);
                await observer;
            }
        }, Cancel)));

        var counts = awaiter.Snapshot();
        Assert.Equal((20_000, 20_000, 20_000, 0, 0),
            (counts.Registered, counts.Observed, counts.Matched, counts.Pending, counts.Buffered));
    }

    private void Expect(
        long registered = 0, long observed = 0, long matched = 0, long lost = 0, long late = 0, long duplicate = 0,
        long unmatched = 0,
        long withdrawn = 0, long pending = 0, long buffered = 0)
    {
        var counts = _awaiter.Snapshot();
        Assert.Equal(
            (registered, observed, matched, lost, late, duplicate, unmatched, withdrawn, pending, buffered, 0L),
            (counts.Registered, counts.Observed, counts.Matched, counts.Lost, counts.Late, counts.Duplicate,
                counts.Unmatched,
                counts.Withdrawn, counts.Pending, counts.Buffered, counts.Overflowed));
        Assert.Equal(counts.Registered, counts.Matched + counts.Lost + counts.Withdrawn + counts.Pending);
        Assert.Equal(
            counts.Observed,
            counts.Matched + counts.Late + counts.Duplicate + counts.Unmatched + counts.Buffered + counts.Overflowed);
    }
}

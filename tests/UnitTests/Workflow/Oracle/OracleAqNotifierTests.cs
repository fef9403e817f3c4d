using System.Threading.Channels;
using Workflow.Abstractions.Notifications;
using Workflow.Stores.Oracle;
using static IntegrationTests.Shared.Conformance.NotificationWaits;

namespace UnitTests.Workflow.Oracle;

public sealed class OracleAqNotifierTests
{
    [Fact]
    public async Task Listener_creates_the_queue_and_waits_a_bounded_time()
    {
        var oracle = new FakeOracle { Answer = call => call.Name == "dequeue" ? new() { Hangs = true } : null };
        await using var notifier = Notifier(oracle);
        await notifier.ListenAsync(_ => { }, Cancel);
        await UntilAsync(() => oracle.CallsOf("dequeue").Count > 0);

        Assert.Equal(["create_queue", "listen", "dequeue"], oracle.Calls.Select(c => c.Name));
        var dequeue = oracle.CallsOf("dequeue")[0];
        Assert.Equal(3L, dequeue.Values["p_wait_seconds"]);
        Assert.True(dequeue.Seconds > 3, "the client's limit must not end a wait that the server would have ended");
        Assert.Equal(dequeue.Values["p_listener"], oracle.CallsOf("listen")[0].Values["p_listener"]);
        Assert.Matches("^N[0-9A-F]{24}$", (string)dequeue.Values["p_listener"]!);
    }

    [Fact]
    public async Task Each_lane_of_a_message_wakes_and_is_counted()
    {
        var messages = new ConcurrentQueue<string?>([",0,7", null, ",3"]);
        var oracle = new FakeOracle { Answer = call => call.Name == "dequeue" ? Dequeued(messages) : null };
        var woken = Channel.CreateUnbounded<int>();
        await using var notifier = Notifier(oracle);
        await notifier.ListenAsync(lane => woken.Writer.TryWrite(lane), Cancel);

        Assert.Equal([0, 7, 3], await TakeAsync(woken, 3));
        Assert.Equal(new NotificationCounts(0, 0, 0, 3), notifier.Counts);
    }

    [Fact]
    public async Task Text_in_the_queue_that_is_not_a_lane_is_skipped()
    {
        var messages = new ConcurrentQueue<string?>([",x,-1, 4,99999999999,2", ",3"]);
        var oracle = new FakeOracle { Answer = call => call.Name == "dequeue" ? Dequeued(messages) : null };
        var woken = Channel.CreateUnbounded<int>();
        await using var notifier = Notifier(oracle);
        await notifier.ListenAsync(lane => woken.Writer.TryWrite(lane), Cancel);

        Assert.Equal([2, 3], await TakeAsync(woken, 2));
        Assert.Equal(new NotificationCounts(0, 0, 0, 2), notifier.Counts);
    }

    [Fact]
    public async Task Any_error_replaces_the_connection()
    {
        var oracle = new FakeOracle();
        oracle.Answer = call => (call.Name, oracle.CallsOf(call.Name).Count) switch
        {
            ("dequeue" or "enqueue", 1) => new() { Error = new InvalidCastException("as set by a test") },
            ("dequeue", _) => new() { Hangs = true },
            _ => null,
        };
        await using var notifier = Notifier(oracle);
        await notifier.ListenAsync(_ => { }, Cancel);
        await UntilAsync(() => oracle.CallsOf("dequeue").Count == 2);
        Assert.Equal(2, oracle.CallsOf("listen").Count);

        notifier.Send(1);
        await UntilAsync(() => notifier.Counts.Lost == 1);
        notifier.Send(2);
        await UntilAsync(() => notifier.Counts.Sent == 1);
    }

    [Fact]
    public async Task Notifications_during_a_send_leave_in_one_message()
    {
        var first = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var oracle = new FakeOracle();
        OracleAqNotifier? sending = null;
        oracle.Answer = call =>
        {
            if (call.Name == "enqueue" && oracle.CallsOf("enqueue").Count == 1)
            {
                // While the server handles the first one.
                Array.ForEach([1, 2, 1, 1, 2], lane => sending!.Send(lane));
                first.SetResult();
            }

            return null;
        };
        await using var notifier = sending = Notifier(oracle);
        notifier.Send(5);
        await first.Task.WaitAsync(Patience, Cancel);
        await UntilAsync(() => notifier.Counts.Sent == 3);

        Assert.Equal(["5", "1,2"], oracle.CallsOf("enqueue").Select(c => c.Values["p_lanes"]));
        Assert.Equal(new NotificationCounts(3, 3, 0, 0), notifier.Counts);
    }

    [Fact]
    public async Task Delayed_notification_is_the_servers_to_keep()
    {
        var oracle = new FakeOracle();
        await using var notifier = Notifier(oracle);
        notifier.Send(4, TimeSpan.FromSeconds(1.2));
        await UntilAsync(() => notifier.Counts.Sent == 1);

        Assert.Equal((2L, "4"),
            (oracle.CallsOf("enqueue")[0].Values["p_delay_seconds"], oracle.CallsOf("enqueue")[0].Values["p_lanes"]));
        Assert.Throws<ArgumentOutOfRangeException>(() => notifier.Send(4, TimeSpan.FromDays(2)));
    }

    [Fact]
    public async Task Server_that_is_away_costs_a_count_and_nothing_else()
    {
        var oracle = new FakeOracle
        {
            Refusal = () => FakeOracle.Error(12541),
            Answer = call => call.Name == "dequeue" ? new() { Hangs = true } : null,
        };
        await using var notifier = Notifier(oracle);
        await notifier.ListenAsync(_ => { }, Cancel);
        notifier.Send(1);
        await UntilAsync(() => notifier.Counts.Lost == 1);

        Assert.Contains("ORA-12541", notifier.Trouble, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", notifier.Trouble, StringComparison.Ordinal);
        oracle.Refusal = () => null;
        await UntilAsync(() => oracle.CallsOf("dequeue").Count > 0);
        notifier.Send(2);
        await UntilAsync(() => notifier.Counts.Sent == 1);
        Assert.Null(notifier.Trouble);
    }

    [Fact]
    public async Task Listening_does_not_wait_for_a_hung_server()
    {
        var time = new ManualTime();
        var hanging = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var oracle = new FakeOracle();
        oracle.Answer = call =>
        {
            if (call.Name == "create_queue" && oracle.CallsOf("create_queue").Count == 1)
            {
                hanging.SetResult();
                return new() { Hangs = true };
            }

            return call.Name == "dequeue" ? new() { Hangs = true } : null;
        };
        var woken = Channel.CreateUnbounded<int>();
        await using var notifier = Notifier(oracle, time: time);
        var from = time.GetUtcNow();
        var listen = notifier.ListenAsync(lane => woken.Writer.TryWrite(lane), Cancel);
        await hanging.Task.WaitAsync(Patience, Cancel);
        await time.AdvanceUntilAsync(listen, TimeSpan.FromSeconds(1));

        // The clock runs far ahead of a busy machine.
        Assert.InRange(time.GetUtcNow() - from, TimeSpan.FromSeconds(5), TimeSpan.FromDays(1));
        await time.AdvanceUntilAsync(woken.Reader.WaitToReadAsync(Cancel).AsTask(), TimeSpan.FromSeconds(1));
        Assert.Equal([INotifier.EveryLane], await TakeAsync(woken, 1));
    }

    [Fact]
    public async Task Reconnection_wakes_every_lane()
    {
        var answers = new ConcurrentQueue<FakeAnswer>([FakeAnswer.Failing(3113)]);
        var oracle =
            new FakeOracle { Answer = call => call.Name != "dequeue" ? null : answers.TryDequeue(out var next) ? next
            : new() { Hangs = true } };
        var woken = Channel.CreateUnbounded<int>();
        await using var notifier = Notifier(oracle);
        await notifier.ListenAsync(lane => woken.Writer.TryWrite(lane), Cancel);

        Assert.Equal([INotifier.EveryLane], await TakeAsync(woken, 1));
        Assert.Equal(2, oracle.CallsOf("listen").Count);
        Assert.Equal(0, notifier.Counts.Received);
    }

    [Fact]
    public async Task Disposal_does_not_wait_for_a_dequeue_that_is_under_way()
    {
        var oracle = new FakeOracle { Answer = call => call.Name == "dequeue" ? new() { Hangs = true } : null };
        var notifier = Notifier(oracle);
        await notifier.ListenAsync(_ => { }, Cancel);
        await UntilAsync(() => oracle.CallsOf("dequeue").Count > 0);

        await notifier.DisposeAsync().AsTask().WaitAsync(Patience, Cancel);
        notifier.Send(1);
        await notifier.DisposeAsync();
        Assert.Equal(new NotificationCounts(0, 0, 0, 0), notifier.Counts);
    }

    [Fact]
    public async Task Disposal_does_not_throw_what_ended_the_listening()
    {
        var disposal = new TaskCompletionSource<Task>(TaskCreationOptions.RunContinuationsAsynchronously);
        var oracle = new FakeOracle();
        var notifier = Notifier(oracle);
        oracle.Answer = call =>
        {
            if (call.Name != "dequeue")
            {
                return null;
            }

            disposal.SetResult(notifier.DisposeAsync().AsTask());
            return new() { Error = new InvalidCastException("as set by a test") };
        };
        await notifier.ListenAsync(_ => { }, Cancel);

        await (await disposal.Task.WaitAsync(Patience, Cancel)).WaitAsync(Patience, Cancel);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(11)]
    [InlineData(1.5)]
    public void Wait_with_an_invalid_bound_is_refused(double seconds) =>
        Assert.Contains("1 to 10 whole seconds",
            Assert.Throws<ArgumentException>(() => Notifier(new FakeOracle(), seconds)).Message,
            StringComparison.Ordinal);

    private static OracleAqNotifier Notifier(FakeOracle oracle, double waitSeconds = 3, TimeProvider? time = null) =>
        new(
        new()
        {
            ConnectionString = "Data Source=127.0.0.1:1521/FREEPDB1;User Id=workflow;Password=hush",
            DequeueWait = TimeSpan.FromSeconds(waitSeconds),
            ReconnectPause = TimeSpan.FromMilliseconds(1),
        },
        time,
        oracle);

    private static FakeAnswer Dequeued(ConcurrentQueue<string?> messages) => messages.TryDequeue(out var lanes)
        ? new() { Outputs = new Dictionary<string, object?> { ["p_lanes"] = lanes } }
        : new() { Hangs = true };
}

using System.Diagnostics;
using System.Net.Sockets;
using Workflow.Client;
using Workflow.Client.Events;

namespace UnitTests.Workflow.Client;

public sealed class EventStreamClientTests
{
    private const string EventStream = "text/event-stream";

    private static readonly EventStreamOptions Fast =
        new() { FirstPause = TimeSpan.FromMilliseconds(1), LongestPause = TimeSpan.FromMilliseconds(2),
            MaxFailuresInARow = 3 };

    [Fact]
    public async Task Events_arrive_in_order_with_their_position()
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.OK, ": listening\n\n" + Completed("0:1")
            + Raised("0:2", "OrderConfirmed") + ": alive\n\n" + Completed("0:3"), EventStream);
        using var client = Client(handler);
        var before = Stopwatch.GetTimestamp();

        var events = await TakeAsync(client, 3);

        Assert.Equal(["0:1", "0:2", "0:3"], events.Select(e => e.Position));
        Assert.IsType<InstanceCompleted>(events[0].Event);
        Assert.Equal("OrderConfirmed", Assert.IsType<EventRaised>(events[1].Event).Type);
        Assert.All(events, e => Assert.InRange(e.ReceivedTicks, before, Stopwatch.GetTimestamp()));
        Assert.True(client.Connected.IsCompletedSuccessfully);
    }

    [Fact]
    public async Task Gap_is_counted_and_the_events_behind_it_come()
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.OK,
            "event: gap\ndata: {\"missed\":41}\n\n" + Completed("0:42") + ": alive\n\nid: 0:50\n\n" + Completed("0:51"),
            EventStream);
        using var client = Client(handler);

        var events = await TakeAsync(client, 2);

        Assert.Equal(["0:42", "0:51"], events.Select(e => e.Position));
        Assert.Equal(41, client.Missed);
    }

    [Fact]
    public async Task After_a_drop_the_stream_resumes_after_the_last_event()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.OK, Completed("0:1") + Completed("0:2") + "id: 0:3\nevent: InstanceComp",
                EventStream)
            .Answer(HttpStatusCode.OK, Completed("0:3"), EventStream);
        using var client = Client(handler);

        var events = await TakeAsync(client, 3);

        Assert.Equal(["0:1", "0:2", "0:3"], events.Select(e => e.Position));
        Assert.Equal([null, "0:2"], handler.Requests.Select(r => r.Headers.GetValueOrDefault("Last-Event-ID")));
        Assert.Equal(1, client.Reconnections);
    }

    [Fact]
    public async Task Stream_dropped_before_an_event_resumes_at_its_start()
    {
        using var handler = new CannedHandler()
            .Answer(() =>
            {
                var response = new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent(
                    "id: 0:7\n\n", System.Text.Encoding.UTF8, EventStream) };
                response.Headers.Add("Event-Position", "0:7");
                return response;
            })
            .Answer(HttpStatusCode.OK, Completed("0:8"), EventStream);
        using var client = Client(handler);

        Assert.Single(await TakeAsync(client, 1));

        Assert.Equal([null, "0:7"], handler.Requests.Select(r => r.Headers.GetValueOrDefault("Last-Event-ID")));
    }

    [Fact]
    public async Task Dropped_stream_resumes_at_the_last_heartbeat()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.OK, Position("0:7") + Gap(41), EventStream)
            .Answer(HttpStatusCode.OK, Position("0:7") + Gap(43) + Position("0:50"), EventStream)
            .Answer(HttpStatusCode.OK, Position("0:50") + Position("0:60") + Gap(2) + "id: 0:6", EventStream)
            .Answer(HttpStatusCode.OK, Position("0:60") + Gap(2) + Completed("0:63"), EventStream);
        using var client = Client(handler, Fast with { After = "0:7" });

        Assert.Equal("0:63", Assert.Single(await TakeAsync(client, 1)).Position);

        Assert.Equal(
            ["0:7", "0:7", "0:50", "0:60"], handler.Requests.Select(r => r.Headers.GetValueOrDefault("Last-Event-ID")));
        Assert.Equal(45, client.Missed);
    }

    /// <summary>As of a service whose memory store was started again.</summary>
    [Fact]
    public async Task Position_past_the_end_is_given_up_for_the_new_beginning()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.OK, ": listening\n\n" + Gap(7) + Position("0:0"), EventStream)
            .Answer(HttpStatusCode.OK, Completed("0:1"), EventStream);
        using var client = Client(handler, Fast with { After = "0:7" });

        Assert.Equal("0:1", Assert.Single(await TakeAsync(client, 1)).Position);

        Assert.Equal(["0:7", "0:0"], handler.Requests.Select(r => r.Headers.GetValueOrDefault("Last-Event-ID")));
        Assert.Equal(7, client.Missed);
    }

    [Fact]
    public async Task Heartbeat_moves_the_position_after_the_handled_event()
    {
        using var handler = new CannedHandler()
            .Answer(HttpStatusCode.OK, Completed("0:8") + Position("0:20"), EventStream)
            .Answer(HttpStatusCode.OK, Completed("0:21"), EventStream);
        using var client = Client(handler, Fast with { After = "0:7" });
        var seen = new List<(string? Position, string? Handled)>();

        await foreach (var received in client.ReadAsync(Cancel))
        {
            seen.Add((client.Position, client.Handled));
            if (received.Position == "0:21")
            {
                break;
            }
        }

        Assert.Equal([("0:8", "0:7"), ("0:21", "0:20")], seen);
        Assert.Equal(["0:7", "0:20"], handler.Requests.Select(r => r.Headers.GetValueOrDefault("Last-Event-ID")));
    }

    [Fact]
    public async Task Event_is_handled_when_the_reader_asks_for_the_next_one()
    {
        using var handler =
            new CannedHandler().Answer(HttpStatusCode.OK, Completed("0:8") + Completed("0:9"), EventStream);
        using var client = Client(handler, Fast with { After = "0:7" });
        var seen = new List<(string? Position, string? Handled)> { (client.Position, client.Handled) };

        await foreach (var received in client.ReadAsync(Cancel))
        {
            seen.Add((client.Position, client.Handled));
            if (received.Position == "0:9")
            {
                break;
            }
        }

        Assert.Equal([("0:7", "0:7"), ("0:8", "0:7"), ("0:9", "0:8")], seen);
    }

    [Fact]
    public async Task Filter_and_first_position_are_sent()
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.OK, Completed("0:9"), EventStream);
        using var client = Client(handler, Fast with { Definition = "a b", After = "0:8.1:2" });

        await TakeAsync(client, 1);

        var asked = Assert.Single(handler.Requests);
        Assert.Equal("/events?definition=a%20b", asked.Path);
        Assert.Equal("0:8.1:2", asked.Headers["Last-Event-ID"]);
    }

    [Theory]
    [InlineData("http://service.test"), InlineData("http://service.test/base"), InlineData("http://service.test/base/")]
    public async Task Stream_follows_the_path_of_the_base_address(string baseAddress)
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.OK, Completed("0:1"), EventStream);
        using var client = new EventStreamClient(new Uri(baseAddress), Fast, TimeProvider.System, handler);

        await TakeAsync(client, 1);

        Assert.Equal($"{new Uri(baseAddress).AbsolutePath.TrimEnd('/')}/events", Assert.Single(handler.Requests).Path);
    }

    [Theory]
    [InlineData("5"), InlineData("\"soon\""), InlineData("1e300")]
    public async Task Service_that_comes_up_late_is_waited_for(string retryAfter)
    {
        using var handler = new CannedHandler()
            .Answer(() => throw (retryAfter == "5"
                ? new HttpRequestException("refused")
                : new SocketException((int)SocketError.NotConnected)))
            .Answer(HttpStatusCode.ServiceUnavailable,
                $$"""{"type":"urn:workflow:engine-stopped","detail":"stopping","retryAfterSeconds":{{retryAfter}}}""",
                "application/problem+json")
            .Answer(HttpStatusCode.OK, Completed("0:1"), EventStream);
        using var client = Client(handler);

        Assert.Single(await TakeAsync(client, 1));
        await client.Connected.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
    }

    [Fact]
    public async Task Service_that_never_starts_is_an_error_for_the_reader()
    {
        using var handler = new CannedHandler()
            .Answer(() => throw new HttpRequestException("refused"))
            .Answer(() => throw new HttpRequestException("refused"))
            .Answer(() => throw new TaskCanceledException(
                "As of a connection that is not made in time.", new TimeoutException()));
        using var client = Client(handler);

        await Assert.ThrowsAsync<HttpRequestException>(() => TakeAsync(client, 1));
        await Assert.ThrowsAsync<HttpRequestException>(() => client.Connected);
        Assert.Equal(3, handler.Requests.Count);
    }

    [Fact]
    public async Task Refused_position_is_an_error_at_once()
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.BadRequest,
            """{"type":"urn:workflow:header-invalid","detail":"'x' is not an event position."}""",
            "application/problem+json");
        using var client = Client(handler, Fast with { After = "x" });

        var error = await Assert.ThrowsAsync<WorkflowApiException>(() => TakeAsync(client, 1));

        Assert.Equal("header-invalid", error.Code);
        Assert.Same(error, await Assert.ThrowsAsync<WorkflowApiException>(() => client.Connected));
    }

    [Fact]
    public async Task Answer_that_is_not_an_event_stream_is_an_error()
    {
        using var handler = new CannedHandler().Answer(HttpStatusCode.OK, "<html>welcome</html>", "text/html");
        using var client = Client(handler);

        var error = await Assert.ThrowsAsync<WorkflowApiException>(() => TakeAsync(client, 1));

        Assert.Equal((HttpStatusCode.OK, "not-a-problem"), (error.Status, error.Code));
        AssertHolds(error.Detail, "GET http://service.test/events", "text/html");
        Assert.Same(error, await Assert.ThrowsAsync<WorkflowApiException>(() => client.Connected));
    }

    [Fact]
    public async Task Silence_is_taken_for_a_lost_connection()
    {
        using var silent = new SilentStream(Completed("0:1"));
        using var handler = new CannedHandler()
            .Answer(() => silent.Respond())
            .Answer(HttpStatusCode.OK, Completed("0:2"), EventStream);
        var (time, silence) = (new ManualTime(), TimeSpan.FromHours(1));
        using var client = Client(handler, Fast with { SilenceTimeout = silence }, time);

        var taking = TakeAsync(client, 2);
        await silent.Entered.WaitAsync(Cancel);
        time.Advance(silence);
        await Eventually.HoldsAsync(
            () =>
            {
                time.Advance(Fast.LongestPause); // Before it connects again.
                return taking.IsCompleted;
            },
            "both events");

        var events = await taking;
        Assert.Equal(["0:1", "0:2"], events.Select(e => e.Position));
        Assert.Equal(1, client.Reconnections);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Service_that_does_not_answer_is_a_lost_connection(bool hasHeaders)
    {
        using var silent = new SilentStream("");
        using var handler = new CannedHandler()
            .Answer(async token =>
            {
                if (!hasHeaders)
                {
                    await silent.ReadExactlyAsync(new byte[1], token);
                }

                return new HttpResponseMessage(HttpStatusCode.BadGateway) { Content = new StreamContent(silent) };
            })
            .Answer(HttpStatusCode.OK, Completed("0:1"), EventStream);
        var (time, silence) = (new ManualTime(), TimeSpan.FromHours(1));
        using var client = Client(handler, Fast with { SilenceTimeout = silence }, time);

        var taking = TakeAsync(client, 1);
        await silent.Entered.WaitAsync(Cancel);
        time.Advance(silence);
        await time.AdvanceUntilAsync(taking, Fast.LongestPause);

        Assert.Equal("0:1", Assert.Single(await taking).Position);
        Assert.Equal(1, client.Reconnections);
    }

    [Fact]
    public async Task Second_reader_is_refused()
    {
        using var handler = new CannedHandler().Answer(() => new SilentStream(Completed("0:1")).Respond());
        using var client = Client(handler);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        await using var first = client.ReadAsync(end.Token).GetAsyncEnumerator(end.Token);
        Assert.True(await first.MoveNextAsync());

        await Assert.ThrowsAsync<InvalidOperationException>(() => TakeAsync(client, 1));
    }

    [Fact]
    public async Task Cancellation_ends_a_waiting_reader()
    {
        using var handler = new CannedHandler().Answer(() => new SilentStream("").Respond());
        using var client = Client(handler);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        await using var events = client.ReadAsync(end.Token).GetAsyncEnumerator(end.Token);
        var next = events.MoveNextAsync().AsTask();
        await client.Connected.WaitAsync(TimeSpan.FromSeconds(60), Cancel);

        await end.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next);
    }

    private static EventStreamClient Client(
        CannedHandler handler, EventStreamOptions? options = null, TimeProvider? time = null) =>
        new(new Uri("http://service.test/"), options ?? Fast, time ?? TimeProvider.System, handler);

    private static async Task<List<ReceivedEvent>> TakeAsync(EventStreamClient client, int count)
    {
        var events = new List<ReceivedEvent>();
        await foreach (var received in client.ReadAsync(Cancel))
        {
            events.Add(received);
            if (events.Count == count)
            {
                break;
            }
        }

        return events;
    }

    /// <summary>A heartbeat; the beginning of a stream is alike.</summary>
    private static string Position(string position) => $": alive\n\nid: {position}\n\n";

    private static string Gap(long missed) => $"event: gap\ndata: {{\"missed\":{missed}}}\n\n";

    private static string Completed(string position) =>
        Frame(position, new InstanceCompleted { Id = position, InstanceId = Guid.Empty, Timestamps = Times });

    private static string Raised(string position, string name) =>
        Frame(position, new EventRaised { Id = position, Name = name, Timestamps = Times });

    private static string Frame(string position, IntegrationEvent value) =>
        $"id: {position}\nevent: {value.Type}\ndata: {EventTypes.ToJson(value)}\n\n";

    private static EventTimestamps Times => new()
    {
        AcceptedUtc = DateTimeOffset.UnixEpoch,
        ExecutedUtc = DateTimeOffset.UnixEpoch,
        AcceptedTicks = 1,
        ExecutedTicks = 2,
        TicksPerSecond = 1000,
        BootId = "boot",
    };

    /// <summary>A connection on which nothing comes after some text, as when the far side lost its power.</summary>
    private sealed class SilentStream(string text) : MemoryStream(Encoding.UTF8.GetBytes(text))
    {
        private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);

        /// <summary>Completes when somebody waits for more than the text.</summary>
        public Task Entered => _entered.Task;

        public HttpResponseMessage Respond() => new(HttpStatusCode.OK)
        {
            Content = new StreamContent(this) { Headers = { ContentType = new(EventStream) } },
        };

        public override async ValueTask<int> ReadAsync(
            Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var read = await base.ReadAsync(buffer, cancellationToken);
            if (read == 0)
            {
                _entered.TrySetResult();
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }

            return read;
        }
    }
}

using LoadTesting.Core.Http.Streams;
using PerformanceTesting.Measurement;
using PerformanceTesting.Subjects;

namespace UnitTests.LoadTesting.Http;

/// <summary>Clients of an event stream against sound services and services that break one promise each.</summary>
public sealed class EventStreamsTests
{
    private const int Clients = 20;
    private const int Publications = 30;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    /// <summary>The fault of a service, the check that must fail, and how to cause the fault.</summary>
    private static readonly (string Name, string Check, Action<PublishingService> Break)[] Faults =
    [
        ("drops one event for one client", "lostDeliveries",
            s => s.Sends = (client, n) => client == 1 && n == 3 ? [] : [n]),
        ("drops one event for one client", "sequenceGaps",
            s => s.Sends = (client, n) => client == 1 && n == 3 ? [] : [n]),
        ("delivers twice", "doubledDeliveries", s => s.Sends = (client, n) => client == 1 && n == 3 ? [n, n] : [n]),
        ("delivers again what everybody has", "doubledDeliveries",
            s => s.Sends = (client, n) => client == 1 && n == 20 ? [3, n] : [n]),
        ("reorders", "reorderedEvents",
            s => s.Sends = (client, n) => client != 1 ? [n] : n switch { 3 => [], 4 => [4, 3], _ => [n] }),
        ("says that events are lost", "foreignEvents",
            s => s.After = (client, n) => client == 1 && n == 3 ? "event: gap\ndata: {}\n\n" : ""),
        ("never opens", "connected", s => s.Answers = client => client == 1 ? "" : PublishingService.Head),
        ("refuses", "connected", s => s.Answers = client => client != 1 ? PublishingService.Head
            : "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy"),
        ("answers with something else", "connected", s => s.Answers = client =>
            client == 1
                ? PublishingService.Head.Replace("text/event-stream", "text/plain", StringComparison.Ordinal)
                : PublishingService.Head),
        ("opens and stalls", "lostDeliveries", s => s.IsSilent = client => client == 1),
        ("cuts a connection", "cutStreams", s => s.Cuts = (client, n) => client == 1 && n == 3),
        ("cuts a connection and forgets where it was", "lostDeliveries", s =>
        {
            s.Cuts = (client, n) => client == 1 && n == 3;
            s.Forgets = true;
        }),
        ("cuts a connection and takes no other", "stillConnected", s =>
        {
            s.Cuts = (client, n) => client == 1 && n == 3;
            s.Answers = client => client < Clients ? PublishingService.Head : "HTTP/1.1 503 Busy\r\n\r\n";
        }),
    ];

    public static TheoryData<string, string> Names { get; } = [.. Faults.Select(fault => (fault.Name, fault.Check))];

    [Fact]
    public async Task Every_publication_reaches_every_client_once_and_in_order()
    {
        await using var service = new PublishingService();
        await using var streams = await OpenAsync(service);

        await PublishAllAsync(service, streams);
        var result = streams.Result();

        Assert.All(result.Checks(), check => Assert.True(check.Outcome == CheckOutcome.Passed, check.Reason));
        Assert.Equal((Clients, Clients, 0L), (result.Opened, result.OpenNow, result.Cuts));
        Assert.Equal(new FanOutCounts(Publications, Clients * Publications, 0, 0, 0, 0, 0), result.Counts);
        Assert.Equal(
            ((long)Clients, (long)Clients, (long)Clients * Publications),
            (result.Open.Count, result.FirstMessage.Count, result.Propagation.Count));
        Assert.Null(result.FirstFault);
    }

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Broken_event_stream_fails_the_run(string name, string check)
    {
        await using var service = new PublishingService();
        Faults.First(fault => fault.Name == name).Break(service);
        await using var streams = await OpenAsync(service);

        await PublishAllAsync(service, streams);
        var failed = await Eventually.BecomesAsync(
            () => Task.FromResult(
                streams.Result().Checks().Where(judged => judged.Outcome == CheckOutcome.Failed).ToList()),
            failed => failed.Exists(judged => judged.Name == check),
            failed => $"the check {check} to fail, not only {string.Join(", ", failed.Select(judged => judged.Name))}");

        foreach (var tier in new[] { TierNames.Smoke, TierNames.Nightly })
        {
            var evidence = new VerdictEvidence
            {
                Tier = tier, Ledger = new() { Requested = 1, Started = 1, Completed = 1 },
                Checks = [.. failed.Where(f => f.Name == check)],
            };
            Assert.Equal(VerdictOutcome.Failed, Verdicts.Judge(evidence).Outcome);
        }
    }

    [Fact]
    public async Task Reconnecting_client_misses_nothing()
    {
        await using var service = new PublishingService();
        await using var streams = await OpenAsync(service);

        await PublishAllAsync(service, streams, afterEach: n =>
        {
            if (n % 5 == 0 && n < Clients)
            {
                streams.Reconnect(n);
            }
        });
        await Eventually.HoldsAsync(
            () => streams.Result() is { Reconnections: 4, OpenNow: Clients }, "four clients that are back");
        var result = streams.Result();

        Assert.All(result.Checks(), check => Assert.True(check.Outcome == CheckOutcome.Passed, check.Reason));
        Assert.Equal(0, result.Cuts);
        Assert.Equal(4, service.Resumed.Count);
        Assert.All(service.Resumed, position => Assert.StartsWith("0:", position, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Stream_without_a_service_has_no_listener()
    {
        var service = new PublishingService();
        var address = service.Address;
        await service.DisposeAsync();
        await using var streams = new EventStreams(address, "/events", 3, new NumberReader(), Options(new()));

        await streams.OpenAsync(Cancel);
        var result = streams.Result();

        Assert.Equal(0, result.Opened);
        Assert.Contains(
            "no connection to 127.0.0.1", Assert.Single(result.Checks(), check => check.Name == "connected").Reason,
            StringComparison.Ordinal);
        Assert.Contains(result.Checks(), check => check is { Name: "delivered", Outcome: CheckOutcome.Failed });
    }

    [Theory]
    [InlineData("id: 1\nevent: a\ndata: x\n\n", "1/a/x")]
    [InlineData("id:1\r\nevent:a\r\ndata:x\r\n\r\n", "1/a/x")]
    [InlineData(": listening\n\nid: 0:4\n\ndata: x\ndata: y\ndata:\n\n", "0:4//-", "//x\ny\n")]
    [InlineData("\n\nretry: 5\n\ndata\n\nid: 2\ndata: {\"a\": \":\"}\n\nid: 3\nda", "//", "2//{\"a\": \":\"}")]
    public void Frames_are_found_in_pieces_of_any_size(string text, params string[] expected)
    {
        for (var size = 1; size <= text.Length; size++)
        {
            var frames = new Frames();
            var parser = new EventFrameParser(frames);
            foreach (var piece in Encoding.UTF8.GetBytes(text).Chunk(size))
            {
                parser.Feed(piece);
            }

            Assert.Equal(expected, frames.Found);
        }
    }

    [Fact]
    public void Frame_without_an_end_is_not_held_for_ever()
    {
        var parser = new EventFrameParser(new Frames(), maxFrameBytes: 100);

        parser.Feed(new byte[100]);
        Assert.False(parser.IsTooLong);
        parser.Feed(new byte[1]);

        Assert.True(parser.IsTooLong);
    }

    [Fact]
    public void Limits_that_are_too_low_are_named_with_what_raises_them()
    {
        var root = Directory.CreateTempSubdirectory("limits-").FullName;
        try
        {
            Directory.CreateDirectory(Path.Combine(root, "proc/self"));
            Directory.CreateDirectory(Path.Combine(root, "proc/sys/net/ipv4"));
            File.WriteAllText(Path.Combine(root, "proc/self/limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max open files            4096                 8192                 files
                """);
            File.WriteAllText(Path.Combine(root, "proc/sys/net/ipv4/ip_local_port_range"), "32768\t60999\n");
            var limits = new StreamLimits(root);

            Assert.Empty(limits.Violations(3_584));
            Assert.Contains("the limit is 4096. Raise it in the shell that starts the run: ulimit -n 4097",
                Assert.Single(limits.Violations(3_585)), StringComparison.Ordinal);
            Assert.Contains(
                "there are 28232, 32768 to 60999. Widen the range: sudo sysctl -w net.ipv4.ip_local_port_range=",
                limits.Violations(30_000)[1], StringComparison.Ordinal);
            Assert.Contains(
                "ask for at most 27720", Assert.Throws<InvalidOperationException>(() => limits.Check(30_000)).Message,
                StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(root, recursive: true);
        }
    }

    private static async Task<EventStreams> OpenAsync(PublishingService service)
    {
        var time = new ManualTime();
        var streams = new EventStreams(service.Address, "/events", Clients, new NumberReader(), Options(time));
        var opening = streams.OpenAsync(Cancel);
        if (service.KeepsOneWaiting)
        {
            // Those that can be open are: what passes then is the time of the one that waits for a first frame, or for
            // a head.
            var open = service.IsSilent(1) ? Clients : Clients - 1;
            await Eventually.HoldsAsync(() => streams.Result().OpenNow == open, $"{open} open streams");
            await Eventually.HoldsAsync(
                () =>
                {
                    time.Advance(Options(time).OpenTimeout);
                    return opening.IsCompleted;
                },
                "the one that waits to be given up");
        }

        await opening;
        return streams;
    }

    /// <summary>On a clock that stands still, so no slow caller is given up.</summary>
    private static EventStreamsOptions Options(ManualTime time) =>
        new() { OpenedPerSecond = 10_000, MostFailures = 1, Streams = 1, TimeProvider = time };

    /// <summary>Publishes and waits until the last publication has reached all its receivers.</summary>
    private static async Task PublishAllAsync(
        PublishingService service, EventStreams streams, Action<int>? afterEach = null)
    {
        Publication? last = null;
        for (var n = 0; n < Publications; n++)
        {
            last = streams.FanOut.Publish(n);
            await service.PublishAsync(n);
            afterEach?.Invoke(n);
        }

        await Task.WhenAny(
            last!.Everywhere, Task.Delay(service.IsPartial ? TimeSpan.FromMilliseconds(300) : Deadline, Cancel));

        // What comes again comes a moment later.
        await Task.Delay(50, Cancel);
    }

    private sealed class NumberReader : IEventReader
    {
        public bool TryRead(EventFrame frame, out Delivery delivery)
        {
            var isOne = int.TryParse(frame.Data, NumberStyles.None, CultureInfo.InvariantCulture, out var number);
            delivery = new Delivery(number, 0, number + 1);
            return isOne && frame.Type.SequenceEqual("published"u8);
        }
    }

    private sealed class Frames : IFrameSink
    {
        public List<string> Found { get; } = [];

        public void OnFrame(EventFrame frame)
        {
            var (id, type) = (Encoding.UTF8.GetString(frame.Id), Encoding.UTF8.GetString(frame.Type));
            Found.Add($"{id}/{type}/{(frame.IsEvent ? Encoding.UTF8.GetString(frame.Data) : "-")}");
        }
    }
}

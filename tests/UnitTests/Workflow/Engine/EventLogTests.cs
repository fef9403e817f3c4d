using System.Buffers;
using IntegrationTests.Shared.Faults;
using Workflow.Engine.Events;
using Workflow.Engine.Flush;

namespace UnitTests.Workflow.Engine;

public sealed class EventLogTests
{
    private static readonly Func<EventPosition, ValueTask<EventBegin>> Located = asked => new(new EventBegin(asked));

    private readonly InMemoryStore _store = new();

    [Fact]
    public void Event_is_written_without_reflection_as_with_it()
    {
        var at = new DateTimeOffset(2026, 3, 17, 8, 0, 0, 123, TimeSpan.Zero).AddTicks(4567);
        var times = new EventTimestamps
        {
            AcceptedUtc = at, ExecutedUtc = at, AcceptedTicks = 1, ExecutedTicks = 2, ExecutionTicks = 3,
            TicksPerSecond = 1_000_000_000, BootId = "boot",
        };
        var json = JsonDocument.Parse("""{ "a": [ 1, "ü\u0000<" ] }""").RootElement;
        IntegrationEvent[] events =
        [
            new InstanceCompleted { Id = "1-1", Timestamps = times, Output = json, TraceParent = "00-1-1-01" },
            new InstanceFailed
                { Id = "1-2", Timestamps = times, Error = "\"<é>\" +\ud83d\ude00", Step = "s", Code = "c" },
            new InstanceCancelled { Id = "1-3", Timestamps = times, Reason = "r" },
            new InstanceSuspended
                { Id = "1-4", Timestamps = times, InstanceId = Guid.NewGuid(), ParentId = Guid.NewGuid() },
            new InstanceResumed
                { Id = "1-5", Timestamps = times, Definition = "d", DefinitionVersion = 2, CorrelationKey = "k" },
            new InstanceRetried { Id = "1-6", Timestamps = times, Step = "s" },
            new TaskCreated { Id = "1-7", Timestamps = times, TaskId = Guid.NewGuid(), Step = "s", Groups = ["a", "b"],
                DueAt = at },
            new TaskCompleted
                { Id = "1-8", Timestamps = times, TaskId = Guid.NewGuid(), Step = "s", Assignee = "a", Output = json },
            new SignalReceived { Id = "1-9", Timestamps = times, Name = "n", DueAt = at, Payload = json },
            new SignalExpired { Id = "1-10", Timestamps = times, Name = "n", Reason = "r" },
            new DefinitionRegistered { Id = "1-11", Timestamps = times, ContentHash = "h" },
            new EventRaised { Id = "1-12", Timestamps = times, Name = "Own", Payload = json },
        ];

        Assert.Equal(EventTypes.Reserved.Count - 1, events.Select(one => one.GetType()).Distinct().Count());
        var buffer = new JsonBuffer();
        Assert.All(events,
            one => Assert.Equal(EventTypes.ToJson(one), Encoding.UTF8.GetString(buffer.Write(one, EventTypes.Write))));
    }

    [Fact]
    public async Task Reader_at_the_end_waits_for_new_events()
    {
        // As after a restart long after the last event: memory is empty, and the store has trimmed everything.
        var log = new EventLog(0, window: 4, maxSize: 1_000_000, _store);
        log.Begin(10);
        var changed = log.Changed;

        Assert.Empty(await log.ReadAsync(0, 100, Cancel));
        Assert.False(changed.IsCompleted);
        log.Append([Event(11)]);

        await changed.WaitAsync(TimeSpan.FromSeconds(30), Cancel);
        Assert.Equal([11L], (await log.ReadAsync(0, 100, Cancel)).Select(e => e.Sequence));
        Assert.Empty(await log.ReadAsync(11, 100, Cancel));
    }

    [Fact]
    public async Task Event_is_stamped_with_its_commit_once_for_all_who_read_it()
    {
        var log = new EventLog(0, window: 4, maxSize: 1_000_000, _store);
        var raised = Event(1);
        var at = new DateTimeOffset(2026, 3, 17, 8, 0, 0, TimeSpan.Zero);
        log.Append([raised], new(at, Ticks: 7));
        log.Append([Event(2)]);

        var read = await log.ReadAsync(0, 100, Cancel);
        Assert.Equal((at, 7L), (read[0].Event.Timestamps.CommittedUtc, read[0].Event.Timestamps.CommittedTicks));
        Assert.Null(read[1].Event.Timestamps.CommittedUtc);
        Assert.Equal((null, raised.Id), (raised.Timestamps.CommittedUtc, read[0].Event.Id));
        Assert.Same(read[0].Event, (await log.ReadAsync(0, 1, Cancel))[0].Event);
    }

    [Fact]
    public async Task Window_holds_the_newest_and_a_page_ends_at_its_limit()
    {
        var log = new EventLog(0, window: 4, maxSize: 1_000_000, _store);
        log.Append([.. Enumerable.Range(1, 10).Select(i => Event(i))]);

        Assert.Equal(10, log.Last);
        Assert.Equal([7L, 8, 9, 10], (await log.ReadAsync(6, 100, Cancel)).Select(e => e.Sequence));
        Assert.Equal([8L, 9], (await log.ReadAsync(7, 2, Cancel)).Select(e => e.Sequence));
        Assert.All(await log.ReadAsync(6, 100, Cancel), e => Assert.Equal($"0-{e.Sequence}", e.Event.Id));
    }

    [Fact]
    public async Task Page_of_large_events_ends_at_one_mebibyte()
    {
        await using var lane = await _store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var batch = new FlushBatch { Number = 1, LastSequence = 200 };
        batch.Events.AddRange(Enumerable.Range(1, 200).Select(i =>
            Row(i <= 100 ? Large(i, 300_000) : Event(i), i, DateTimeOffset.UnixEpoch)));
        await lane.FlushAsync(batch, Cancel);
        var asked = new List<int>();
        var log = new EventLog(0, window: 2, maxSize: 1_000_000, new FaultyStore(_store) { ReadingEvents = asked.Add });
        log.Begin(200);

        Assert.Equal("1 to 4", await PageAsync(0));
        Assert.Equal("5 to 7", await PageAsync(4));
        Assert.Equal("100 to 102", await PageAsync(99));
        Assert.Equal("103 to 112", await PageAsync(102));
        Assert.Equal("113 to 176", await PageAsync(112));
        Assert.Equal([64, 3, 3, 10, 64], asked);

        async Task<string> PageAsync(long after)
        {
            var page = await log.ReadAsync(after, 256, Cancel);
            return $"{page[0].Sequence} to {page[^1].Sequence}";
        }
    }

    [Fact]
    public async Task Reader_hears_how_many_events_were_trimmed_before_it_came()
    {
        await using var lane = await _store.OpenLaneAsync(new LaneAssignment(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var batch = new FlushBatch { Number = 1, LastSequence = 6, PublishedSequence = 6 };
        var events = Enumerable.Range(1, 6).Select(i => Event(i)).ToArray();
        batch.Events.AddRange(events.Select((e, i) =>
            Row(e, i + 1, DateTimeOffset.UnixEpoch.AddDays(i))));
        await lane.FlushAsync(batch, Cancel);
        await _store.TrimAsync(
            new() { EventsBeforeUtc = DateTimeOffset.UnixEpoch.AddDays(4), KeysBeforeUtc = default,
                ReplayedBeforeUtc = default }, Cancel);
        var log = new EventLog(0, window: 2, maxSize: 1_000_000, _store);
        log.Begin(6);

        var read = new List<PositionedEvent>();
        var behind = EventPosition.Start.With(0, 1);
        await foreach (var next in EventReader.ReadAsync(
            [log], new ReaderSignal(), behind, Located, () => null, Cancel, Cancel))
        {
            read.Add(next);
            if (read.Count == 2)
            {
                break;
            }
        }

        Assert.Equal([("0-5", 3L), ("0-6", 0L)], read.Select(e => (e.Event.Id, e.Missed)));
    }

    [Fact]
    public void Readers_at_the_same_position_share_a_read()
    {
        var log = new EventLog(0, window: 4, maxSize: 1_000_000, _store);
        log.Append([Event(1), Event(2)]);
        var ahead = EventPosition.Start.With(0, 1).With(3, 5);

        Assert.True(log.TryReadNext(EventPosition.Start.With(0, 1), out var first));
        Assert.True(log.TryReadNext(EventPosition.Start.With(0, 1), out var second));
        Assert.True(log.TryReadNext(ahead, out var third));

        Assert.Same(first, second);
        Assert.Equal(("0:2", "0:2.3:5"), ($"{first.Position}", $"{third.Position}"));
        Assert.Same(first.Event, third.Event);
        Assert.False(log.TryReadNext(first.Position, out _));
    }

    [Fact]
    public async Task Each_reader_gets_every_event_once_and_in_order()
    {
        const int events = 200;
        var anyGrew = new ReaderSignal();
        EventLog[] logs = [
            .. Enumerable.Range(0, 3).Select(i => new EventLog(i, window: 1_000, maxSize: 1_000_000, _store, anyGrew))];
        using var leaving = new CancellationTokenSource();
        using var leavingLater = new CancellationTokenSource();
        var staying = Enumerable.Range(0, 50).Select(_ => ReadAsync(Cancel)).ToArray();
        var left =
            Enumerable.Range(0, 50).Select(i => ReadAsync(i % 2 == 0 ? leaving.Token : leavingLater.Token)).ToArray();
        for (var i = 0; i < events; i++)
        {
            logs[i % logs.Length].Append([Event((i / logs.Length) + 1)]);
            await (i switch { 80 => leaving.CancelAsync(), 120 => leavingLater.CancelAsync(),
                _ => Task.CompletedTask });
            if (i % 10 == 0)
            {
                // Those that have read all wait again.
                await Task.Yield();
            }
        }

        var ends = await Task.WhenAll(staying).WaitAsync(TimeSpan.FromSeconds(60), Cancel);

        // A cancelled reader may read on until it would wait.
        Assert.All(ends, end => Assert.Equal("0:67.1:67.2:66", end));
        Assert.All(
            await Task.WhenAll(left).WaitAsync(TimeSpan.FromSeconds(60), Cancel),
            end => Assert.True(end is "left" or "0:67.1:67.2:66", end));

        async Task<string> ReadAsync(CancellationToken cancellationToken)
        {
            var (before, count) = (EventPosition.Start, 0);
            try
            {
                await foreach (var next in EventReader.ReadAsync(
                    logs, anyGrew, before, Located, () => null, Cancel, cancellationToken))
                {
                    var stream = logs.Single(log => next.Position[log.Stream] != before[log.Stream]).Stream;
                    Assert.Equal((before[stream] + 1, 0), (next.Position[stream], next.Missed));
                    before = next.Position;
                    if (++count == events)
                    {
                        break;
                    }
                }
            }
            catch (OperationCanceledException)
            {
                return "left";
            }

            return $"{before}";
        }
    }

    [Fact]
    public void Position_round_trips_as_text_and_bytes()
    {
        var position = EventPosition.Start.With(7, 1).With(0, long.MaxValue).With(3, 2).With(7, 5);
        var bytes = new ArrayBufferWriter<byte>();
        position.WriteTo(bytes);

        Assert.Equal("0:9223372036854775807.3:2.7:5", position.ToString());
        Assert.Equal($"{position}", Encoding.UTF8.GetString(bytes.WrittenSpan));
        Assert.Equal($"{position}", EventPosition.Parse($"{position}").ToString());
        Assert.Equal((5, 2, 0), (position[7], position[3], position[1]));
        Assert.True(position.Reaches(EventPosition.Start.With(3, 2)));
        Assert.False(position.Reaches(EventPosition.Start.With(4, 1)));
        Assert.False(EventPosition.Start.Reaches(position));
        Assert.Equal(position, EventPosition.Parse($"{position}"));
        Assert.Equal(position.GetHashCode(), EventPosition.Parse($"{position}").GetHashCode());
        Assert.NotEqual(position, position.With(3, 3));
        Assert.False(position.Equals(null));
    }

    [Fact]
    public void Position_names_only_streams_that_a_store_can_have()
    {
        var position = EventPosition.Parse("0:4.3:2.63:1");

        Assert.Equal(("0:4", "0:4.3:2"), ($"{position.Below(3)}", $"{position.Below(4)}"));
        Assert.Same(position, position.Below(64));
        Assert.Equal("", $"{position.Below(0)}");
        Assert.Throws<FormatException>(() => EventPosition.Parse("0:4.64:1"));
    }

    [Fact]
    public void Window_of_large_events_holds_fewer_and_always_the_newest()
    {
        var log = new EventLog(0, window: 10, maxSize: 25_000, _store);
        log.Append([.. Enumerable.Range(1, 6).Select(i => Large(i, 10_000))]);
        Assert.Equal([5L, 6], Held(log, 4));

        log.Append([Large(7, 100_000)]);
        Assert.Equal([7L], Held(log, 6));
        log.Append([.. Enumerable.Range(8, 12).Select(i => Event(i))]);
        Assert.Equal(Enumerable.Range(10, 10).Select(i => (long)i), Held(log, 9));

    }

    private static EventRaised Large(int sequence, int size) => new()
    {
        Id = $"0-{sequence}",
        Name = "E",
        InstanceId = Guid.NewGuid(),
        Definition = "d",
        DefinitionVersion = 1,
        Payload = System.Text.Json.JsonSerializer.SerializeToElement(new string('x', size)),
        Timestamps = Event(sequence).Timestamps,
    };

    private static IEnumerable<long> Held(EventLog log, long after)
    {
        // Events in memory are returned at once. The store is not open and is not read.
        var read = log.ReadAsync(after, 100, Cancel);
        Assert.True(read.IsCompletedSuccessfully);
        return read.Result.Select(e => e.Sequence);
    }

    private static SignalExpired Event(int sequence) => new()
    {
        Id = $"0-{sequence}",
        Name = "go",
        Reason = "test",
        Timestamps = new()
        {
            AcceptedUtc = default,
            ExecutedUtc = default,
            AcceptedTicks = 0,
            ExecutedTicks = 0,
            TicksPerSecond = 1,
            BootId = "test",
        },
    };

    private static EventRow Row(IntegrationEvent value, long sequence, DateTimeOffset created) =>
        new(0, sequence, value.Type, null, Encoding.UTF8.GetBytes(EventTypes.ToJson(value)), created);
}

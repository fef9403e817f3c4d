namespace IntegrationTests.Shared.Conformance;

/// <summary>The event stream and publishers: in order, without gaps, at least once.</summary>
public abstract class EventConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Events_of_a_stream_come_in_order_without_gaps()
    {
        var engine = await EngineAsync(3).WithAsync(Definitions.Empty);
        await Task.WhenAll(Enumerable.Range(0, 300).Select(_ => engine.StartAsync("empty")));

        await engine.Events.WaitAsync<InstanceCompleted>(300, _ => true, Cancel);

        AssertGapless(engine.Events.Seen.Select(e => e.Event), from: 1);
        var last = engine.Events.Seen[^1].Position;
        Assert.Equal(300, Enumerable.Range(0, 3).Sum(s => last[s]));
    }

    [Theory]
    [InlineData(false, 16_384)]
    [InlineData(true, 16_384)]
    [InlineData(false, 10)]
    [InlineData(true, 10)]
    public async Task Reader_resumes_after_any_position_from_memory_or_store(bool restart, int window)
    {
        var options = new WorkflowEngineOptions { Lanes = 2, EventWindow = window };
        var engine = await EngineAsync(options).WithAsync(Definitions.Empty);
        for (var i = 0; i < 5; i++)
        {
            await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => engine.StartAsync("empty")));
        }

        var all = await engine.Events.WaitAsync<InstanceCompleted>(100, _ => true, Cancel);
        var begun = engine.Events.Seen.Take(40).ToArray();
        var resumeAfter = EventPosition.Parse(begun[^1].Position.ToString());
        if (restart)
        {
            await engine.DisposeAsync();
            engine = await EngineAsync(options);
        }

        await using var resumed = new EventTail(engine.Engine, resumeAfter);
        var rest = await resumed.WaitAsync<InstanceCompleted>(60, _ => true, Cancel);

        Assert.Equal(all.Skip(40).Select(e => e.Id).Order(), rest.Select(e => e.Id).Order());
        await engine.StartAsync("empty");
        await resumed.WaitAsync<InstanceCompleted>(61, _ => true, Cancel);
        AssertGapless(begun.Concat(resumed.Seen).Select(e => e.Event), from: 1);
    }

    [Theory]
    [InlineData("0:4.1:9999", 3), InlineData("0:9223372036854775807.1:9223372036854775807", 3), InlineData("63:5", 0)]
    public async Task Reader_past_the_end_gets_a_gap_and_all_that_is_kept(string asked, int starts)
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.Empty);
        for (var i = 0; i < starts; i++)
        {
            await engine.StartAsync("empty");
        }

        var begin = await engine.Engine.LocateEventsAsync(EventPosition.Parse(asked), Cancel);
        Assert.Equal(EventPosition.Parse("0:0.1:0"), begin.Position);
        Assert.Equal(EventPosition.Parse(asked).Past(engine.Engine.EndOfEvents), begin.Missed);
        Assert.InRange(begin.Missed, 1, long.MaxValue);

        var events = engine.Engine.ReadEventsAsync(EventPosition.Parse(asked), Cancel);
        await engine.StartAsync("empty");
        List<PositionedEvent> read = [];
        await foreach (var next in events)
        {
            read.Add(next);
            if (read.Count == starts + 1)
            {
                break;
            }
        }

        Assert.Equal(starts + 1, read.Select(next => next.Event.InstanceId).Distinct().Count());
        Assert.True(read[0].Missed > 0);
        Assert.All(read.Skip(1), next => Assert.Equal(0, next.Missed));
    }

    [Fact]
    public async Task Reader_at_the_end_misses_nothing()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.Empty);
        await engine.StartAsync("empty");

        Assert.Equal(
            new(engine.Engine.EndOfEvents), await engine.Engine.LocateEventsAsync(engine.Engine.EndOfEvents, Cancel));
        Assert.Equal(new(EventPosition.Start), await engine.Engine.LocateEventsAsync(EventPosition.Start, Cancel));
    }

    [Fact]
    public async Task Reader_without_a_position_gets_only_new_events()
    {
        var engine = await EngineAsync(2).WithAsync(Definitions.Empty);
        await engine.StartAsync("empty");

        var events = engine.Engine.ReadEventsAsync(null, Cancel);
        var second = await engine.StartAsync("empty");

        await foreach (var next in events)
        {
            Assert.Equal(second.Id, next.Event.InstanceId);
            break;
        }
    }

    [Fact]
    public async Task Stream_ends_with_the_engine_and_with_its_reader()
    {
        var engine = await EngineAsync();
        using var reader = new CancellationTokenSource();
        await using var events = engine.Engine.ReadEventsAsync(EventPosition.Start, reader.Token)
            .GetAsyncEnumerator(Cancel);
        var next = events.MoveNextAsync().AsTask();
        await using var other = engine.Engine.ReadEventsAsync(EventPosition.Start, Cancel).GetAsyncEnumerator(Cancel);
        var otherNext = other.MoveNextAsync().AsTask();

        await reader.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next.WaitAsync(Eventually.Deadline, Cancel));
        await engine.DisposeAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => otherNext.WaitAsync(Eventually.Deadline, Cancel));
    }

    [Fact]
    public async Task Event_carries_the_instants_of_its_way()
    {
        var engine = await EngineAsync().WithAsync(Definitions.Empty);
        var started = await engine.StartAsync("empty", key: "k");

        var stamps = (await engine.Events.CompletedAsync(started.Id, Cancel)).Timestamps;

        Assert.True(
            stamps.AcceptedTicks <= stamps.ExecutedTicks && stamps.ExecutedTicks <= stamps.CommittedTicks,
            stamps.ToString());
        Assert.True(
            stamps.AcceptedUtc <= stamps.ExecutedUtc && stamps.ExecutedUtc <= stamps.CommittedUtc, stamps.ToString());
        Assert.NotEmpty(stamps.BootId);
    }

    [Fact]
    public async Task Failing_publisher_gets_every_event_in_order()
    {
        var publisher = new RecordingPublisher { FailEvery = 7 };
        var options = new WorkflowEngineOptions { Lanes = 3, Publishers = [publisher], EventWindow = 20 };
        var engine = await EngineAsync(options).WithAsync(Definitions.Empty);

        await Task.WhenAll(Enumerable.Range(0, 60).Select(_ => engine.StartAsync("empty")));
        await engine.IdleAsync();

        Assert.Equal(60, publisher.Taken.Select(e => e.Id).Distinct().Count());
        AssertGapless(publisher.Taken, from: 1);
        Assert.True(publisher.Failures > 0);
        Assert.Equal(0, engine.Engine.Statistics.UnpublishedEvents);
    }

    [Fact]
    public async Task Publishing_continues_after_a_restart_where_it_stopped()
    {
        var stuck = new RecordingPublisher { StopAfter = 5 };
        var first = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Publishers = [stuck] })
            .WithAsync(Definitions.Empty);
        for (var i = 0; i < 5; i++)
        {
            await first.StartAsync("empty");
        }

        await first.IdleAsync();
        for (var i = 0; i < 5; i++)
        {
            await first.StartAsync("empty");
        }

        Assert.Equal(5, first.Engine.Statistics.UnpublishedEvents);
        await first.DisposeAsync();

        var publisher = new RecordingPublisher();
        var second = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Publishers = [publisher] });
        await second.IdleAsync();

        Assert.Equal(["0-6", "0-7", "0-8", "0-9", "0-10"], publisher.Taken.Select(e => e.Id));
        Assert.All(publisher.Taken, e => Assert.Null(e.Timestamps.PublishedTicks));
    }

    [Fact]
    public async Task First_flush_does_not_move_the_published_cursor_back()
    {
        var publisher = new RecordingPublisher();
        var options = new WorkflowEngineOptions { Lanes = 1, Publishers = [publisher] };
        for (var life = 0; life < 4; life++)
        {
            var engine = await EngineAsync(options).WithAsync(Definitions.Empty);
            for (var i = 0; i < 3; i++)
            {
                await engine.StartAsync("empty");
                await engine.IdleAsync();
            }

            await engine.DisposeAsync();
        }

        // The cursor is stored with the next flush, so each life repeats at most the last event of the one before.
        Assert.Equal(12, publisher.Taken.Select(e => e.Id).Distinct().Count());
        Assert.InRange(publisher.Taken.Count, 12, 15);
    }

    [Fact]
    public async Task Idle_engine_has_published_everything()
    {
        var publisher = new RecordingPublisher();
        var engine = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 2, Publishers = [publisher], Activities = [TestActivities.Echo] })
            .WithAsync(
            """
            { "name": "chain", "version": 1, "start": "a", "steps": {
              "a": { "type": "invoke", "activity": "echo", "next": "b" },
              "b": { "type": "invoke", "activity": "echo", "next": "done" },
              "done": { "type": "end" } } }
            """);
        for (var i = 1; i <= 20; i++)
        {
            await engine.StartAsync("chain");
            await engine.IdleAsync();
            Assert.Equal(i, publisher.Taken.Count);
            Assert.Equal(i, engine.Engine.Statistics.Completed);
        }
    }

    [Fact]
    public async Task Events_of_lanes_that_are_gone_are_still_read_and_published()
    {
        var first = await EngineAsync(
            new WorkflowEngineOptions { Lanes = 4, Publishers = [new RecordingPublisher { StopAfter = 0 }] });
        await first.RegisterAsync(Definitions.Empty);
        await Task.WhenAll(Enumerable.Range(0, 60).Select(_ => first.StartAsync("empty")));
        await first.DisposeAsync();

        var publisher = new RecordingPublisher();
        var second = await EngineAsync(new WorkflowEngineOptions { Lanes = 1, Publishers = [publisher] });
        await second.StartAsync("empty");
        await second.IdleAsync();

        Assert.Equal(1, second.Engine.Statistics.Lanes);
        Assert.Equal(61, publisher.Taken.Select(e => e.Id).Distinct().Count());
        Assert.Equal(61, (await second.Events.WaitAsync<InstanceCompleted>(61, _ => true, Cancel)).Count);
    }

    private static void AssertGapless(IEnumerable<IntegrationEvent> events, long from)
    {
        foreach (var stream in events.Select(e => e.Id.Split('-')).GroupBy(p => p[0]))
        {
            var sequences = stream.Select(p => long.Parse(p[1], CultureInfo.InvariantCulture)).ToArray();
            Assert.Equal(Enumerable.Range(0, sequences.Length).Select(i => from + i), sequences);
        }
    }

    private sealed class RecordingPublisher : IEventPublisher
    {
        private readonly ConcurrentQueue<IntegrationEvent> _taken = new();
        private int _calls;
        private int _failures;

        public int FailEvery { get; init; } = int.MaxValue;
        public int StopAfter { get; init; } = int.MaxValue;

        public int Failures => _failures;
        public IReadOnlyCollection<IntegrationEvent> Taken => _taken;

        public async Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            await Task.Yield();
            var call = Interlocked.Increment(ref _calls);
            if (call % FailEvery == 0)
            {
                Interlocked.Increment(ref _failures);
                throw new InvalidOperationException("the bus is away");
            }

            if (_taken.Count >= StopAfter)
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, cancellationToken);
            }

            _taken.Enqueue(integrationEvent);
        }
    }
}

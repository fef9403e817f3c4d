using Workflow.Contracts.DeadLetters;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Accepted work that cannot be applied is dead-lettered alone, and its replay has one effect.</summary>
public abstract class DeadLetterConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Poison_timer_and_message_are_dead_lettered_and_replayed()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 2 }, time, store).WithAsync(Definitions.WaitAMinute);
        var far = KeyIn(3);
        var messaged = await engine.StartAsync("waitAMinute", $$"""{ "id": "{{far}}", "note": "poison" }""", KeyIn(2));
        var timed = await engine.StartAsync("waitAMinute", Letters.Poisoned, KeyIn(2));
        var fine = await engine.StartAsync("waitAMinute", """{ "id": "f" }""", KeyIn(2));
        await engine.IdleAsync();
        store.IsPoison = Letters.IsPoison;

        await engine.SignalAsync("go", far, "1");
        await engine.IdleAsync();
        var message = Assert.Single(await engine.LettersAsync());
        engine.AssertSignalsAreAccountedFor(accepted: 1, dead: 1);
        time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal("\"late\"", await engine.OutputAsync(fine.Id));
        await engine.IdleAsync();

        Assert.Equal((DeadLetterKind.Message, messaged.Id, 1), (message.Kind, message.InstanceId, message.Attempts));
        Assert.Contains("store refused the message 'deliver'", message.Reason, StringComparison.Ordinal);
        var timers = (await engine.LettersAsync()).Where(l => l.Kind == DeadLetterKind.Timer).ToArray();
        Assert.Equal(((Guid[])[messaged.Id, timed.Id]).Order(), timers.Select(l => l.InstanceId!.Value).Order());
        Assert.All(timers, l => Assert.Equal("wait", l.Payload.GetProperty("step").GetString()));
        Assert.Equal((3, 3, 3),
            (engine.Engine.Statistics.DeadLetters, engine.Engine.Statistics.DeadLettered,
                engine.Engine.Statistics.RejectedCommands));
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(timed.Id)).State);

        // The next engine does not try again by itself what is a dead letter.
        await engine.DisposeAsync();
        var next = await EngineAsync(2, time);
        await next.IdleAsync();
        Assert.Equal((3, 2), (next.Engine.Statistics.DeadLetters, next.Engine.Statistics.LiveInstances));

        foreach (var letter in await next.LettersAsync())
        {
            Assert.Equal(new(letter.Id, letter.InstanceId == timed.Id || letter.Kind == DeadLetterKind.Message, false),
                await next.Engine.ReplayDeadLetterAsync(letter.Id, Cancel));
        }

        Assert.Equal("1", await next.OutputAsync(messaged.Id));
        Assert.Equal("\"late\"", await next.OutputAsync(timed.Id));
        await next.IdleAsync();
        Assert.Equal((0, 0), (next.Engine.Statistics.DeadLetters, next.Engine.Statistics.LiveInstances));
        Assert.Equal(3, next.Events.Of<InstanceCompleted>().Count);
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Poison_signal_becomes_a_dead_letter_with_its_key(bool byInstance)
    {
        var store = new FaultyStore(Open()) { IsPoison = _ => false };
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store);
        await engine.RegisterAsync(byInstance ? Definitions.WaitById : Definitions.WaitForGo);
        var name = byInstance ? "waitById" : "waitForGo";
        var poisoned = await engine.StartAsync(name, Letters.Poisoned);
        var others = await Task.WhenAll(
            Enumerable.Range(0, 50).Select(i => engine.StartAsync(name, $$"""{ "id": "o{{i}}" }""")));
        store.IsPoison = Letters.IsPoison;

        var sending = SendAsync();
        await Task.WhenAll(
            others.Select(
                (o, i) => byInstance ? engine.SignalAsync("go", o.Id, "2") : engine.SignalAsync("go", $"o{i}", "2")));
        var accepted = await sending;
        var again = await SendAsync();

        Assert.Equal(
            (false, false, true, null), (accepted.Delivered, accepted.Duplicate, accepted.Kept, accepted.KeptUntil));
        Assert.Equal((accepted.Id, true, null, true), (again.Id, again.Duplicate, again.DeadLetterId, again.Kept));
        var letter = Assert.Single(await engine.LettersAsync());
        Assert.Equal((accepted.DeadLetterId, DeadLetterKind.Signal, byInstance ? poisoned.Id : (Guid?)null),
            (letter.Id, letter.Kind, letter.InstanceId));
        Assert.Equal("1", letter.Payload.GetProperty("payload").GetRawText());
        await engine.Events.WaitAsync<InstanceCompleted>(50, _ => true, Cancel);
        engine.AssertSignalsAreAccountedFor(accepted: 51, dead: 1);

        store.IsPoison = _ => false;
        Assert.True((await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel)).Applied);
        Assert.Equal("1", await engine.OutputAsync(poisoned.Id));
        engine.AssertSignalsAreAccountedFor(accepted: 51, dead: 0);

        Task<Workflow.Contracts.Signals.SignalAccepted> SendAsync() =>
            byInstance
                ? engine.SignalAsync("go", poisoned.Id, "1", "once") : engine.SignalAsync("go", "p", "1", "once");
    }

    [Fact]
    public async Task Poison_delayed_signal_is_delivered_at_once_by_its_replay()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, time, store).WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", Letters.Poisoned);
        await engine.SignalAsync("go", "p", """{ "n": [ 1, "two", null ] }""", dueAt: time.GetUtcNow().AddHours(2));
        store.IsPoison = Letters.IsPoison;
        time.Advance(TimeSpan.FromHours(2));

        var letter = await engine.UntilLetterAsync();
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
        time.Advance(TimeSpan.FromHours(20));
        store.IsPoison = _ => false;
        await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);

        Assert.Equal("""{"n":[1,"two",null]}""", await engine.OutputAsync(started.Id));
        Assert.Empty(engine.Events.Of<SignalExpired>());
    }

    [Fact]
    public async Task Poison_activity_result_is_replayed_without_another_call()
    {
        var calls = 0;
        var options = new WorkflowEngineOptions
        {
            Lanes = 1,
            Activities = [TestActivities.Of("work", async (_, _) =>
            {
                Interlocked.Increment(ref calls);
                await Task.Yield();
                return Value.From("42");
            })],
        };
        var store = new FaultyStore(Open()) { IsPoison = row => Letters.IsPoison(row) && row.Revision > 1 };
        var engine = await EngineAsync(options, store: store).WithAsync(
            """
            { "name": "work", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "work", "result": "r", "onError": "sorry", "next": "done" },
              "sorry": { "type": "end", "output": "sorry" }, "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("work", Letters.Poisoned);

        var letter = await engine.UntilLetterAsync();
        Assert.Equal((DeadLetterKind.Activity, started.Id, "\"42\""),
            (letter.Kind, letter.InstanceId, letter.Payload.GetProperty("result").GetRawText()));
        await engine.IdleAsync();
        await engine.DisposeAsync();

        var next = await EngineAsync(options);
        await next.IdleAsync();
        await next.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);
        Assert.Equal("\"42\"", await next.OutputAsync(started.Id));
        Assert.Equal(1, calls);
    }

    [Fact]
    public async Task Only_the_signal_of_a_failing_receiver_is_dead_lettered()
    {
        var broken = true;
        var engine = await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 1,
            SignalReceivers =
            [
                new()
                {
                    Name = "work",
                    MaxAttempts = 2,
                    ReceiveAsync = (key, _, _) => key == "bad" && broken
                        ? throw new InvalidOperationException("the far side is closed\0")
                        : ValueTask.CompletedTask,
                },
            ],
        });
        await engine.SignalAsync("work", "bad", "1");
        await engine.SignalAsync("work", "good", "2");

        var letter = await engine.UntilLetterAsync();
        await engine.IdleAsync();
        Assert.Equal(
            "good", Assert.Single(await engine.Events.WaitAsync<SignalReceived>(1, _ => true, Cancel)).CorrelationKey);
        Assert.Equal((DeadLetterKind.Signal, 2), (letter.Kind, letter.Attempts));
        Assert.Equal(
            "The receiver of signal 'work' failed in each of 2 calls; the last time: the far side is closed\ufffd",
            letter.Reason);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);

        broken = false;
        await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);
        Assert.Equal(
            "1", (await engine.Events
                .WaitAsync<SignalReceived>(1, e => e.CorrelationKey == "bad", Cancel))[0].Payload!.Value.GetRawText());
    }

    [Fact]
    public async Task Replay_repeated_with_its_key_has_one_effect()
    {
        var broken = true;
        var engine = await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 1,
            SignalReceivers =
            [
                new()
                {
                    Name = "work", MaxAttempts = 1,
                    ReceiveAsync =
                        (_, _, _) => broken ? throw new InvalidOperationException("closed") : ValueTask.CompletedTask,
                },
            ],
        });
        await engine.SignalAsync("work", "bad", "1");
        await engine.SignalAsync("work", "worse", "2");
        var letters = (await Eventually.BecomesAsync(
            () => engine.Engine.ListDeadLettersAsync(new(), Cancel), list => list.Items.Count == 2,
            list => $"{list.Items.Count} letters")).Items;
        broken = false;

        Assert.Equal(
            new(letters[0].Id, true, false), await engine.Engine.ReplayDeadLetterAsync(letters[0].Id, "once", Cancel));
        Assert.Equal(
            new(letters[0].Id, true, true), await engine.Engine.ReplayDeadLetterAsync(letters[0].Id, "once", Cancel));
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.Engine.ReplayDeadLetterAsync(letters[1].Id, "once", Cancel));
        Assert.Equal(
            new(letters[1].Id, true, false), await engine.Engine.ReplayDeadLetterAsync(letters[1].Id, "twice", Cancel));
        await Assert.ThrowsAsync<IdempotencyConflictException>(
            () => engine.Engine.ReplayDeadLetterAsync(letters[1].Id, "once", Cancel));
    }

    [Fact]
    public async Task Dead_letter_that_cannot_be_stored_blocks_its_work_alone()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, time, store).WithAsync(Definitions.WaitAMinute);
        var poisoned = await engine.StartAsync("waitAMinute", Letters.Poisoned);
        var fine = await engine.StartAsync("waitAMinute", """{ "id": "f" }""");
        store.IsPoison = Letters.IsPoison;
        store.IsPoisonLetter = _ => true;

        time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal("\"late\"", await engine.OutputAsync(fine.Id));
        await engine.IdleAsync();
        await Assert.ThrowsAsync<CommandRejectedException>(() => engine.SignalAsync("go", "p", "1"));
        await engine.IdleAsync();
        Assert.Equal((0, 4), (engine.Engine.Statistics.DeadLetters, engine.Engine.Statistics.RejectedCommands));
        await engine.DisposeAsync();

        var next = await EngineAsync(1, time);
        Assert.Equal("\"late\"", await next.OutputAsync(poisoned.Id));
    }

    [Fact]
    public async Task Expired_signal_is_not_a_dead_letter()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(1, time);
        await engine.SignalAsync("go", "nobody", "1");

        time.Advance(TimeSpan.FromHours(1));
        await engine.Events.WaitAsync<SignalExpired>(1, _ => true, Cancel);
        await engine.IdleAsync();

        Assert.Empty(await engine.LettersAsync());
        Assert.Equal(0, engine.Engine.Statistics.DeadLettered);
    }

    [Fact]
    public async Task Letters_are_listed_by_page_kind_and_instance()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine =
            await EngineAsync(new WorkflowEngineOptions { Lanes = 2 }, time, store).WithAsync(Definitions.WaitAMinute);
        var started = new List<Guid>();
        for (var i = 0; i < 5; i++)
        {
            started.Add((await engine.StartAsync("waitAMinute", $$"""{ "id": "k{{i}}", "note": "poison" }""")).Id);
        }

        store.IsPoison = Letters.IsPoison;
        await engine.SignalAsync("go", "k0", "1");
        time.Advance(TimeSpan.FromMinutes(1));
        await engine.UntilLetterAsync(6);

        var pages = new List<DeadLetter>();
        Guid? after = null;
        do
        {
            var page = await engine.Engine.ListDeadLettersAsync(new() { After = after, Limit = 4 }, Cancel);
            pages.AddRange(page.Items);
            after = page.Next;
        }
        while (after is not null);

        Assert.Equal(6, pages.Select(l => l.Id).Distinct().Count());
        Assert.Equal(
            5, (await engine.Engine.ListDeadLettersAsync(new() { Kind = DeadLetterKind.Timer }, Cancel)).Items.Count);
        var own =
            Assert.Single((await engine.Engine.ListDeadLettersAsync(new() { InstanceId = started[3] }, Cancel)).Items);
        Assert.Equal((DeadLetterKind.Timer, started[3]), (own.Kind, own.InstanceId));
        var error = await Assert.ThrowsAsync<InvalidCommandException>(() =>
            engine.Engine.ListDeadLettersAsync(new() { Limit = 1_001 }, Cancel));
        Assert.Contains("1001", error.Message, StringComparison.Ordinal);
    }
}

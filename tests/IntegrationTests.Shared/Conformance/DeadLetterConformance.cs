using System.Globalization;
using IntegrationTests.Shared.Faults;
using Workflow.Abstractions;
using Workflow.Abstractions.Exceptions;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Events;
using Workflow.Contracts.Instances;
using Workflow.Engine;
using Xunit;

namespace IntegrationTests.Shared.Conformance;

/// <summary>Work that was accepted and cannot be applied: put aside alone and durably, and replayed with one effect.</summary>
public abstract class DeadLetterConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Poisoned = """{ "id": "p", "note": "poison" }""";

    [Fact]
    public async Task Poison_timer_and_poison_message_are_put_aside_and_replayed_once_the_cause_is_gone()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 2 }, time, store);
        await engine.RegisterAsync(Definitions.WaitAMinute);
        var far = KeyIn(3);
        var messaged = await engine.StartAsync("waitAMinute", $$"""{ "id": "{{far}}", "note": "poison" }""", KeyIn(2));
        var timed = await engine.StartAsync("waitAMinute", Poisoned, KeyIn(2));
        var fine = await engine.StartAsync("waitAMinute", """{ "id": "f" }""", KeyIn(2));
        await engine.IdleAsync();
        store.IsPoison = IsPoison;

        await engine.SignalAsync("go", far, "1");
        await engine.IdleAsync();
        var message = Assert.Single(await LettersAsync(engine));
        time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal("\"late\"", await engine.OutputAsync(fine.Id));
        await engine.IdleAsync();

        Assert.Equal((DeadLetterKind.Message, messaged.Id, 1), (message.Kind, message.InstanceId, message.Attempts));
        Assert.Contains("store refused the message 'deliver'", message.Reason, StringComparison.Ordinal);
        var timers = (await LettersAsync(engine)).Where(l => l.Kind == DeadLetterKind.Timer).ToArray();
        Assert.Equal(((Guid[])[messaged.Id, timed.Id]).Order(), timers.Select(l => l.InstanceId!.Value).Order());
        Assert.All(timers, l => Assert.Equal("wait", l.Payload.GetProperty("step").GetString()));
        Assert.Equal((3, 3, 3), (engine.Engine.Statistics.DeadLetters, engine.Engine.Statistics.DeadLettered, engine.Engine.Statistics.RejectedCommands));
        Assert.Equal(InstanceState.Waiting, (await engine.ViewAsync(timed.Id)).State);

        // The next engine does not try again by itself what is put aside.
        await engine.DisposeAsync();
        var next = await EngineAsync(2, time);
        await next.IdleAsync();
        Assert.Equal((3, 2), (next.Engine.Statistics.DeadLetters, next.Engine.Statistics.LiveInstances));

        foreach (var letter in await LettersAsync(next))
        {
            Assert.Equal(new(letter.Id, letter.InstanceId == timed.Id || letter.Kind == DeadLetterKind.Message, false), await next.Engine.ReplayDeadLetterAsync(letter.Id, Cancel));
        }

        Assert.Equal("1", await next.OutputAsync(messaged.Id));
        Assert.Equal("\"late\"", await next.OutputAsync(timed.Id));
        await next.IdleAsync();
        Assert.Equal((0, 0), (next.Engine.Statistics.DeadLetters, next.Engine.Statistics.LiveInstances));
        Assert.Equal(3, next.Events.Of<InstanceCompleted>().Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Poison_signal_is_accepted_as_a_dead_letter_and_keeps_its_idempotency_key(bool byInstance)
    {
        var store = new FaultyStore(Open()) { IsPoison = _ => false };
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, store: store);
        await engine.RegisterAsync(byInstance ? Definitions.WaitById : Definitions.WaitForGo);
        var name = byInstance ? "waitById" : "waitForGo";
        var poisoned = await engine.StartAsync(name, Poisoned);
        var others = await Task.WhenAll(Enumerable.Range(0, 50).Select(i => engine.StartAsync(name, $$"""{ "id": "o{{i}}" }""")));
        store.IsPoison = IsPoison;

        var sending = SendAsync();
        await Task.WhenAll(others.Select((o, i) => byInstance ? engine.SignalAsync("go", o.Id, "2") : engine.SignalAsync("go", $"o{i}", "2")));
        var accepted = await sending;
        var again = await SendAsync();

        Assert.Equal((false, false), (accepted.Delivered, accepted.Duplicate));
        Assert.Equal((accepted.Id, true, null), (again.Id, again.Duplicate, again.DeadLetterId));
        var letter = Assert.Single(await LettersAsync(engine));
        Assert.Equal((accepted.DeadLetterId, DeadLetterKind.Signal, byInstance ? poisoned.Id : (Guid?)null), (letter.Id, letter.Kind, letter.InstanceId));
        Assert.Equal("1", letter.Payload.GetProperty("payload").GetRawText());
        await engine.Events.WaitAsync<InstanceCompleted>(50, _ => true, Cancel);

        store.IsPoison = _ => false;
        Assert.True((await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel)).Applied);
        Assert.Equal("1", await engine.OutputAsync(poisoned.Id));

        Task<Workflow.Contracts.Signals.SignalAccepted> SendAsync() =>
            byInstance ? engine.SignalAsync("go", poisoned.Id, "1", "once") : engine.SignalAsync("go", "p", "1", "once");
    }

    [Fact]
    public async Task Delayed_signal_that_is_poison_when_it_is_due_is_put_aside_and_comes_back_at_once()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, time, store);
        await engine.RegisterAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", Poisoned);
        await engine.SignalAsync("go", "p", """{ "n": [ 1, "two", null ] }""", dueAt: time.GetUtcNow().AddHours(2));
        store.IsPoison = IsPoison;
        time.Advance(TimeSpan.FromHours(2));

        var letter = await UntilLetterAsync(engine);
        await engine.IdleAsync();
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);
        time.Advance(TimeSpan.FromHours(20));
        store.IsPoison = _ => false;
        await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);

        Assert.Equal("""{"n":[1,"two",null]}""", await engine.OutputAsync(started.Id));
        Assert.Empty(engine.Events.Of<SignalExpired>());
    }

    [Fact]
    public async Task Activity_whose_result_and_failure_are_poison_is_put_aside_and_replayed_without_another_call()
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
        var store = new FaultyStore(Open()) { IsPoison = row => IsPoison(row) && row.Revision > 1 };
        var engine = await EngineAsync(options, store: store);
        await engine.RegisterAsync(
            """
            { "name": "work", "version": 1, "start": "call", "steps": {
              "call": { "type": "invoke", "activity": "work", "result": "r", "onError": "sorry", "next": "done" },
              "sorry": { "type": "end", "output": "sorry" }, "done": { "type": "end", "output": "= r" } } }
            """);
        var started = await engine.StartAsync("work", Poisoned);

        var letter = await UntilLetterAsync(engine);
        Assert.Equal((DeadLetterKind.Activity, started.Id, "\"42\""), (letter.Kind, letter.InstanceId, letter.Payload.GetProperty("result").GetRawText()));
        await engine.IdleAsync();
        await engine.DisposeAsync();

        var next = await EngineAsync(options);
        await next.IdleAsync();
        await next.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);
        Assert.Equal("\"42\"", await next.OutputAsync(started.Id));
        Assert.Equal(1, calls);
    }

    [Fact]
    public async Task Receiver_that_fails_in_every_call_gives_its_signal_up_as_a_dead_letter_alone()
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
                    ReceiveAsync = (key, _, _) => key == "bad" && broken ? throw new InvalidOperationException("the far side is closed\0") : ValueTask.CompletedTask,
                },
            ],
        });
        await engine.SignalAsync("work", "bad", "1");
        await engine.SignalAsync("work", "good", "2");

        var letter = await UntilLetterAsync(engine);
        await engine.IdleAsync();
        Assert.Equal("good", Assert.Single(engine.Events.Of<SignalReceived>()).CorrelationKey);
        Assert.Equal((DeadLetterKind.Signal, 2), (letter.Kind, letter.Attempts));
        Assert.Equal("The receiver of signal 'work' failed in each of 2 calls; the last time: the far side is closed\ufffd", letter.Reason);
        Assert.Equal(0, engine.Engine.Statistics.BufferedSignals);

        broken = false;
        await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);
        Assert.Equal("1", (await engine.Events.WaitAsync<SignalReceived>(1, e => e.CorrelationKey == "bad", Cancel))[0].Payload!.Value.GetRawText());
    }

    [Fact]
    public async Task Replay_has_one_effect_however_often_it_is_asked_for()
    {
        var (engine, _, letter, _) = await WithOneLetterAsync(lanes: 1);
        await engine.RegisterAsync(Definitions.WaitTwice);
        var other = await engine.StartAsync("waitTwice", """{ "id": "p" }""");

        var replies = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => engine.Engine.ReplayDeadLetterAsync(letter, Cancel)));
        Assert.All(replies, r => Assert.True(r.Applied));
        Assert.Single(replies, r => !r.Duplicate);
        Assert.Equal(new(letter, true, true), await engine.Engine.ReplayDeadLetterAsync(letter, Cancel));

        // It went to the older of two that wait for it; the other one still does.
        await engine.Events.WaitAsync<InstanceCompleted>(1, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(("first", InstanceState.Waiting), ((await engine.ViewAsync(other.Id)).Waits[0].Step, (await engine.ViewAsync(other.Id)).State));
        Assert.Empty(await LettersAsync(engine));
        var replayed = Assert.Single((await engine.Engine.ListDeadLettersAsync(new() { Replayed = true }, Cancel)).Items);
        Assert.Equal((letter, 2, true), (replayed.Id, replayed.Attempts, replayed.Applied));
        Assert.NotNull(replayed.ReplayedUtc);
    }

    [Fact]
    public async Task Replay_of_what_is_unknown_is_told()
    {
        var engine = await EngineAsync();
        var id = Guid.CreateVersion7();

        var error = await Assert.ThrowsAsync<DeadLetterNotFoundException>(() => engine.Engine.ReplayDeadLetterAsync(id, Cancel));

        Assert.Contains(id.ToString(), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Replay_that_is_refused_again_leaves_the_letter_open_with_one_attempt_more()
    {
        var (engine, store, letter, started) = await WithOneLetterAsync(lanes: 1);
        store.IsPoison = IsPoison;

        for (var attempt = 2; attempt <= 3; attempt++)
        {
            var error = await Assert.ThrowsAsync<DeadLetterRefusedException>(() => engine.Engine.ReplayDeadLetterAsync(letter, Cancel));
            Assert.Equal((letter, attempt), (error.Id, error.Attempts));
            var open = Assert.Single(await LettersAsync(engine));
            Assert.Equal((letter, attempt), (open.Id, open.Attempts));
            Assert.Contains("refused the replay", open.Reason, StringComparison.Ordinal);
        }

        store.IsPoison = _ => false;
        Assert.False((await engine.Engine.ReplayDeadLetterAsync(letter, Cancel)).Duplicate);
        Assert.Equal("1", await engine.OutputAsync(started));
        Assert.Equal(1, engine.Engine.Statistics.DeadLettered);
    }

    [Theory]
    [InlineData(1, false)]
    [InlineData(1, true)]
    [InlineData(2, true)]
    public async Task Engine_that_dies_at_any_flush_of_a_death_and_a_replay_neither_loses_nor_doubles_it(int lanes, bool afterCommit)
    {
        const int Count = 6;
        var first = await EngineAsync(lanes);
        await first.RegisterAsync(Definitions.WaitAMinute);
        foreach (var i in Enumerable.Range(0, Count))
        {
            // Each has a timer that comes up as soon as the next engine begins, and half get a signal that crosses partitions besides.
            await first.StartAsync("waitAMinute", $$"""{ "id": "{{KeyIn(i, "c")}}", "note": "poison", "n": {{i}} }""", KeyIn(i + 1, "p"));
        }

        await first.IdleAsync();
        await first.DisposeAsync();
        await LiveAndDieAsync(lanes, afterCommit, IsPoison, async engine =>
        {
            await Task.WhenAll(Enumerable.Range(0, Count / 2).Select(i => engine.SignalAsync("go", KeyIn(i, "c"), $"{i}", $"signal {i}")));
            await engine.IdleAsync();
        });

        await LiveAndDieAsync(lanes, afterCommit, _ => false, async engine =>
        {
            foreach (var letter in await LettersAsync(engine))
            {
                await engine.Engine.ReplayDeadLetterAsync(letter.Id, Cancel);
            }
        });

        var last = await EngineAsync(lanes, new TwoMinutesLater());
        var completed = await last.Events.WaitAsync<InstanceCompleted>(Count, _ => true, Cancel);
        await last.IdleAsync();
        Assert.Equal(Count, completed.Select(e => e.InstanceId).Distinct().Count());
        Assert.Equal(Count, last.Events.Of<InstanceCompleted>().Count);
        Assert.Equal((0, 0), (last.Engine.Statistics.LiveInstances, last.Engine.Statistics.DeadLetters));
        var replayed = (await last.Engine.ListDeadLettersAsync(new() { Replayed = true }, Cancel)).Items;
        Assert.True(replayed.Count >= Count, string.Join('\n', replayed));

        // A signal ended its instance, or came back when the timer had done so and waits for the next taker: each of them one or the other.
        var taken = completed.Count(e => e.Output!.Value.GetRawText() != "\"late\"");
        Assert.Equal(Count / 2, taken + last.Engine.Statistics.BufferedSignals);
    }

    [Fact]
    public async Task Letter_that_cannot_be_kept_holds_its_work_back_and_nothing_else()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 1 }, time, store);
        await engine.RegisterAsync(Definitions.WaitAMinute);
        var poisoned = await engine.StartAsync("waitAMinute", Poisoned);
        var fine = await engine.StartAsync("waitAMinute", """{ "id": "f" }""");
        store.IsPoison = IsPoison;
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
    public async Task Signal_that_nobody_took_in_time_expires_and_is_no_dead_letter()
    {
        var time = new ManualTime();
        var engine = await EngineAsync(1, time);
        await engine.SignalAsync("go", "nobody", "1");

        time.Advance(TimeSpan.FromHours(1));
        await engine.Events.WaitAsync<SignalExpired>(1, _ => true, Cancel);
        await engine.IdleAsync();

        Assert.Empty(await LettersAsync(engine));
        Assert.Equal(0, engine.Engine.Statistics.DeadLettered);
    }

    [Fact]
    public async Task Letters_are_listed_by_page_kind_and_instance()
    {
        var time = new ManualTime();
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = 2 }, time, store);
        await engine.RegisterAsync(Definitions.WaitAMinute);
        var started = new List<Guid>();
        for (var i = 0; i < 5; i++)
        {
            started.Add((await engine.StartAsync("waitAMinute", $$"""{ "id": "k{{i}}", "note": "poison" }""")).Id);
        }

        store.IsPoison = IsPoison;
        await engine.SignalAsync("go", "k0", "1");
        time.Advance(TimeSpan.FromMinutes(1));
        await UntilLetterAsync(engine, 6);

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
        Assert.Equal(5, (await engine.Engine.ListDeadLettersAsync(new() { Kind = DeadLetterKind.Timer }, Cancel)).Items.Count);
        var own = Assert.Single((await engine.Engine.ListDeadLettersAsync(new() { InstanceId = started[3] }, Cancel)).Items);
        Assert.Equal((DeadLetterKind.Timer, started[3]), (own.Kind, own.InstanceId));
        var error = await Assert.ThrowsAsync<InvalidCommandException>(() => engine.Engine.ListDeadLettersAsync(new() { Limit = 1_001 }, Cancel));
        Assert.Contains("1001", error.Message, StringComparison.Ordinal);
    }

    private static bool IsPoison(InstanceRow row) => row.Body.Contains("poison", StringComparison.Ordinal);

    private static async Task<IReadOnlyList<DeadLetter>> LettersAsync(EngineSession engine) => (await engine.Engine.ListDeadLettersAsync(new(), Cancel)).Items;

    private static async Task<DeadLetter> UntilLetterAsync(EngineSession engine, int count = 1)
    {
        for (var deadline = TimeProvider.System.GetTimestamp(); TimeProvider.System.GetElapsedTime(deadline) < TimeSpan.FromSeconds(30);)
        {
            if (await LettersAsync(engine) is { Count: var found } letters && found >= count)
            {
                return letters[^1];
            }

            await engine.IdleAsync();
        }

        throw new TimeoutException(string.Create(CultureInfo.InvariantCulture, $"Waited 30 s in vain for {count} dead letters."));
    }

    /// <summary>An instance of <c>waitForGo</c> on key <c>p</c> whose signal is a dead letter; nothing is poison any more.</summary>
    private async Task<(EngineSession Engine, FaultyStore Store, Guid Letter, Guid Instance)> WithOneLetterAsync(int lanes)
    {
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes }, store: store);
        await engine.RegisterAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", Poisoned);
        store.IsPoison = IsPoison;
        var signal = await engine.SignalAsync("go", "p", "1");
        store.IsPoison = _ => false;
        return (engine, store, signal.DeadLetterId!.Value, started.Id);
    }

    /// <summary>Lets engine after engine do the work; each dies at a later flush, until one survives it.</summary>
    private async Task LiveAndDieAsync(int lanes, bool afterCommit, Func<InstanceRow, bool> isPoison, Func<EngineSession, Task> work)
    {
        for (var dieAt = 1; dieAt < 200; dieAt++)
        {
            var dead = false;
            var store = new FaultyStore(Open()) { IsPoison = isPoison };
            var at = dieAt;
            store.Plan(n => n == at && (dead = true) ? new(FlushFailure.Unavailable, afterCommit, ThenAway: true) : null);
            var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes, OutageTolerance = TimeSpan.Zero }, new TwoMinutesLater(), store);
            var error = await Record.ExceptionAsync(() => work(engine));
            await engine.DisposeAsync();
            if (!dead)
            {
                Assert.Null(error);
                Assert.True(dieAt > 1, "it never died");
                return;
            }

            Assert.True(error is null or StoreUnavailableException or TimeoutException or EngineStoppedException, error?.ToString());
        }

        Assert.Fail("the work is never done");
    }

    /// <summary>The system's clock, ahead of itself: what was to last a minute is over.</summary>
    private sealed class TwoMinutesLater : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + TimeSpan.FromMinutes(2);
    }
}

namespace IntegrationTests.Shared.Conformance;

/// <summary>Replays of dead letters have one effect each despite failures.</summary>
public abstract class ReplayConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    [Fact]
    public async Task Repeated_replay_has_one_effect()
    {
        var (engine, _, letter, _) = await WithOneLetterAsync(lanes: 1);
        await engine.RegisterAsync(Definitions.WaitTwice);
        var other = await engine.StartAsync("waitTwice", """{ "id": "p" }""");

        var replies = await Task.WhenAll(
            Enumerable.Range(0, 8).Select(_ => engine.Engine.ReplayDeadLetterAsync(letter, Cancel)));
        Assert.All(replies, r => Assert.True(r.Applied));
        Assert.Single(replies, r => !r.Duplicate);
        Assert.Equal(new(letter, true, true), await engine.Engine.ReplayDeadLetterAsync(letter, Cancel));

        // It went to the older of two that wait for it; the other one still does.
        await engine.Events.WaitAsync<InstanceCompleted>(1, _ => true, Cancel);
        await engine.IdleAsync();
        Assert.Equal(
            ("first", InstanceState.Waiting),
            ((await engine.ViewAsync(other.Id)).Waits[0].Step, (await engine.ViewAsync(other.Id)).State));
        Assert.Empty(await engine.LettersAsync());
        var replayed = Assert.Single(
            (await engine.Engine.ListDeadLettersAsync(new() { Replayed = true }, Cancel)).Items);
        Assert.Equal((letter, 2, true), (replayed.Id, replayed.Attempts, replayed.Applied));
        Assert.NotNull(replayed.ReplayedUtc);
    }

    [Fact]
    public async Task Replay_of_what_is_unknown_is_reported()
    {
        var engine = await EngineAsync();
        var id = Guid.CreateVersion7();

        var error = await Assert.ThrowsAsync<DeadLetterNotFoundException>(
            () => engine.Engine.ReplayDeadLetterAsync(id, Cancel));

        Assert.Contains(id.ToString(), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Refused_replay_leaves_the_dead_letter_open()
    {
        var (engine, store, letter, started) = await WithOneLetterAsync(lanes: 1);
        store.IsPoison = Letters.IsPoison;

        for (var attempt = 2; attempt <= 3; attempt++)
        {
            var error = await Assert.ThrowsAsync<DeadLetterRefusedException>(
                () => engine.Engine.ReplayDeadLetterAsync(letter, Cancel));
            Assert.Equal((letter, attempt), (error.Id, error.Attempts));
            var open = Assert.Single(await engine.LettersAsync());
            Assert.Equal((letter, attempt), (open.Id, open.Attempts));
            Assert.Contains("refused the replay", open.Reason, StringComparison.Ordinal);
        }

        store.IsPoison = _ => false;
        Assert.False((await engine.Engine.ReplayDeadLetterAsync(letter, Cancel)).Duplicate);
        Assert.Equal("1", await engine.OutputAsync(started));
        Assert.Equal(1, engine.Engine.Statistics.DeadLettered);
    }

    [Theory]
    [InlineData(1, false), InlineData(2, true)]
    public async Task Crash_at_any_flush_of_a_replay_has_one_effect(int lanes, bool afterCommit)
    {
        const int Count = 6;
        var first = await EngineAsync(lanes).WithAsync(Definitions.WaitAMinute);
        foreach (var i in Enumerable.Range(0, Count))
        {
            // Each has a timer that is due when the next engine begins, and half also get a signal across partitions.
            await first.StartAsync(
                "waitAMinute", $$"""{ "id": "{{KeyIn(i, "c")}}", "note": "poison", "n": {{i}} }""", KeyIn(i + 1, "p"));
        }

        await first.IdleAsync();
        await first.DisposeAsync();
        await LiveAndDieAsync(lanes, afterCommit, Letters.IsPoison, async engine =>
        {
            await Task.WhenAll(
                Enumerable.Range(0, Count / 2)
                    .Select(i => engine.SignalAsync("go", KeyIn(i, "c"), $"{i}", $"signal {i}")));
            await engine.IdleAsync();
        });

        await LiveAndDieAsync(lanes, afterCommit, _ => false, async engine =>
        {
            foreach (var letter in await engine.LettersAsync())
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

        // Each signal either ended its instance, or came back after the timer did and waits for the next taker.
        var taken = completed.Count(e => e.Output!.Value.GetRawText() != "\"late\"");
        Assert.Equal(Count / 2, taken + last.Engine.Statistics.BufferedSignals);
    }

    /// <summary>An instance of <c>waitForGo</c> on key <c>p</c> whose signal is a dead letter.</summary>
    private async Task<(EngineSession Engine, FaultyStore Store, Guid Letter, Guid Instance)> WithOneLetterAsync(
        int lanes)
    {
        var store = new FaultyStore(Open());
        var engine = await EngineAsync(new WorkflowEngineOptions { Lanes = lanes }, store: store)
            .WithAsync(Definitions.WaitForGo);
        var started = await engine.StartAsync("waitForGo", Letters.Poisoned);
        store.IsPoison = Letters.IsPoison;
        var signal = await engine.SignalAsync("go", "p", "1");
        store.IsPoison = _ => false;
        return (engine, store, signal.DeadLetterId!.Value, started.Id);
    }

    /// <summary>Lets engine after engine do the work; each dies at a later flush, until one survives it.</summary>
    private async Task LiveAndDieAsync(
        int lanes, bool afterCommit, Func<InstanceRow, bool> isPoison, Func<EngineSession, Task> work)
    {
        for (var dieAt = 1; dieAt < 200; dieAt++)
        {
            var dead = false;
            var store = new FaultyStore(Open()) { IsPoison = isPoison };
            var at = dieAt;
            store.Plan(
                n => n == at && (dead = true) ? new(FlushFailure.Unavailable, afterCommit, ThenAway: true) : null);
            var engine = await EngineAsync(
                new WorkflowEngineOptions { Lanes = lanes, OutageTolerance = TimeSpan.Zero },
                new TwoMinutesLater(),
                store);
            var error = await Record.ExceptionAsync(() => work(engine));
            await engine.DisposeAsync();
            if (!dead)
            {
                Assert.Null(error);
                Assert.True(dieAt > 1, "it never died");
                return;
            }

            Assert.True(
                error is null or StoreUnavailableException or TimeoutException or EngineStoppedException,
                error?.ToString());
        }

        Assert.Fail("the work is never done");
    }

    /// <summary>The system's clock moved forward by more than a minute.</summary>
    private sealed class TwoMinutesLater : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + TimeSpan.FromMinutes(2);
    }
}

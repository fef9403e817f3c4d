using IntegrationTests.Shared.Faults;
using Workflow.Contracts.Signals;

namespace UnitTests.Workflow.Engine;

/// <summary>
/// Random starts, signals, flush failures, deaths and restarts with other lanes, over one in-memory content. Whoever
/// got no answer asks again with the same key, in this life of the engine or the next. The last life is without faults,
/// and replays the dead letters of the others.
/// </summary>
internal sealed class RandomizedRun(int seed)
{
    private const int Keys = 12;

    private static readonly string[] Definitions =
    [
        """
        { "name": "once", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "result": "one", "next": "done" },
          "done": { "type": "end" } } }
        """,
        """
        { "name": "hasty", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "timeout": "PT20S", "onTimeout": "late", "result": "one",
            "next": "done" },
          "late": { "type": "fail", "error": "late" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "split", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "a", "b" ], "join": "both" },
          "a": { "type": "waitSignal", "signal": "go", "correlation": "= id", "timeout": "PT30S", "onTimeout": "both", "result": "one",
            "next": "both" },
          "b": { "type": "waitSignal", "signal": "go", "correlation": "= other", "result": "two", "next": "both" },
          "both": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "calling", "version": 1, "start": "sub", "steps": {
          "sub": { "type": "call", "definition": "hasty", "input": { "id": "= id" }, "onError": "sorry", "next": "done" },
          "sorry": { "type": "end", "output": "sorry" }, "done": { "type": "end" } } }
        """,
    ];

    private readonly Random _random = new(seed);
    private readonly ManualTime _time = new();
    private readonly InMemoryStore _content = new();
    private readonly ConcurrentDictionary<Guid, bool> _started = new();
    private readonly ConcurrentDictionary<int, bool> _accepted = new();
    private List<Func<EngineSession, Task>> _open = [];
    private int _requests;

    /// <summary>Instances whose start was acknowledged.</summary>
    public IReadOnlyCollection<Guid> Started => [.. _started.Keys];

    /// <summary>Numbers that acknowledged signals carry.</summary>
    public IReadOnlyCollection<int> Accepted => [.. _accepted.Keys];

    /// <summary>Flushes that failed in all lives.</summary>
    public long FailedFlushes { get; private set; }

    /// <summary>Runs every life; afterwards nothing is in flight.</summary>
    /// <returns>The content, for the checks.</returns>
    public async Task<InMemoryStore> RunAsync()
    {
        for (var life = 0; life < 5; life++)
        {
            var store = new FaultyStore(_content.Reopen());
            store.Plan(Faults(new Random((seed * 31) + life)));
            await LiveAsync(store, rounds: 5, dies: _random.Next(2) == 0);
        }

        await LiveAsync(new FaultyStore(_content.Reopen()), rounds: 1, dies: false, ends: true);
        Assert.Empty(_open);
        return _content.Reopen();
    }

    private static Func<int, FlushFault?> Faults(Random random) => _ => random.Next(100) switch
    {
        < 8 => new(FlushFailure.Unavailable, AfterCommit: false),
        < 16 => new(FlushFailure.Unavailable, AfterCommit: true),
        < 19 => new(FlushFailure.Stale, AfterCommit: false),
        < 25 => new(FlushFailure.Rejected, AfterCommit: false),
        < 31 => new(FlushFailure.Conflict, AfterCommit: false),
        _ => null,
    };

    private async Task LiveAsync(FaultyStore store, int rounds, bool dies, bool ends = false)
    {
        var options = new WorkflowEngineOptions
        {
            Lanes = _random.Next(1, 4),
            MaxBatchCommands = _random.Next(1, 16),
            OutageTolerance = TimeSpan.Zero,
            SignalTimeToLive = TimeSpan.FromDays(1),
        };
        var session = await EngineSession.StartAsync(store, options, _time);
        foreach (var definition in Definitions)
        {
            await session.RegisterAsync(definition);
        }

        for (var round = 0; round < rounds; round++)
        {
            await RoundAsync(session);
        }

        if (ends)
        {
            await PassAsync(ReplayAsync(session));
            await PassAsync(LastTimersAsync(session, options.Lanes));
            await PassAsync(session.IdleAsync());
            Assert.Equal(session.Engine.Statistics.LiveInstances, session.Engine.Statistics.InFlight);
        }

        store.IsAway = dies;
        FailedFlushes += session.Engine.Statistics.FailedFlushes;
        await PassAsync(session.DisposeAsync().AsTask());
    }

    private async Task RoundAsync(EngineSession session)
    {
        var requests =
            _open.Concat(Enumerable.Range(0, 16).Select(_ => NewRequest())).OrderBy(_ => _random.Next()).ToArray();
        var unanswered = new ConcurrentQueue<Func<EngineSession, Task>>();
        await PassAsync(Task.WhenAll(requests.Select(async request =>
        {
            for (var attempt = 0; attempt < 40; attempt++)
            {
                try
                {
                    await request(session);
                    return;
                }
                catch (WorkflowException e)
                    when (e is StoreUnavailableException or EngineStoppedException or CommandRejectedException)
                {
                    await Task.Yield();
                }
            }

            unanswered.Enqueue(request);
        })));
        _open = [.. unanswered];
        _time.Advance(TimeSpan.FromSeconds(_random.Next(0, 15)));
    }

    /// <summary>
    /// Work that the store refused in earlier runs is a dead letter, and nothing refuses it any more.
    /// </summary>
    private static async Task ReplayAsync(EngineSession session)
    {
        foreach (var letter in (await session.Engine.ListDeadLettersAsync(new() { Limit = 1_000 })).Items)
        {
            await session.Engine.ReplayDeadLetterAsync(letter.Id, null);
        }
    }

    /// <summary>Lets every timer fire: each lane gets a wait that times out last and keeps it from idling.</summary>
    private async Task LastTimersAsync(EngineSession session, int lanes)
    {
        for (var lane = 0; lane < lanes; lane++)
        {
            var key = Enumerable.Range(0, int.MaxValue).Select(i => $"last {i}")
                .First(k => Partitioning.OfKey(k) % lanes == lane);
            _started.TryAdd((await session.StartAsync("hasty", $$"""{ "id": "{{key}}" }""", key)).Id, true);
        }

        _time.Advance(TimeSpan.FromMinutes(2));
        while ((await session.Engine
            .ListInstancesAsync(new() { Definition = "hasty", State = InstanceState.Waiting })).Items.Count > 0)
        {
            await Task.Yield();
        }
    }

    private Func<EngineSession, Task> NewRequest()
    {
        var number = ++_requests;
        var (key, other) = (RandomKey(), RandomKey());
        if (_random.Next(5) < 2)
        {
            var definition = _random.Next(4) switch { 0 => "once", 1 => "hasty", 2 => "calling", _ => "split" };
            var place = _random.Next(2) == 0 ? RandomKey() : null;
            return async session => _started.TryAdd(
                (await session.StartAsync(
                    definition, $$"""{ "id": "{{key}}", "other": "{{other}}" }""", place, Name(number))).Id, true);
        }

        var due = _random.Next(4) == 0 ? _time.GetUtcNow().AddSeconds(_random.Next(1, 20)) : (DateTimeOffset?)null;
        return async session =>
        {
            SignalAccepted accepted = await session.SignalAsync("go", key, Name(number), Name(number), due);
            Assert.NotEqual(Guid.Empty, accepted.Id);
            _accepted.TryAdd(number, true);
        };
    }

    private string RandomKey() => $"key {_random.Next(Keys)}";
    private static string Name(int number) => number.ToString(CultureInfo.InvariantCulture);

    /// <summary>The engine's pauses are on the test's clock too: it goes on while something is awaited.</summary>
    private async Task PassAsync(Task task)
    {
        using var tick = new PeriodicTimer(TimeSpan.FromMilliseconds(10));
        for (var i = 0; !task.IsCompleted; i++)
        {
            Assert.True(i < 3_000, $"Seed {seed}: the engine did not come to rest within 30 s.");
            await Task.WhenAny(task, tick.WaitForNextTickAsync(Cancel).AsTask());
            if (!task.IsCompleted)
            {
                _time.Advance(TimeSpan.FromMilliseconds(50));
            }
        }

        await task;
    }
}

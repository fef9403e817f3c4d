using PerformanceTesting.Subjects;

namespace UnitTests.PerformanceTesting;

/// <summary>Losses and leftovers of a service are named with their numbers.</summary>
public sealed class ConservationChecksTests
{
    private static readonly EngineStatistics Before = EngineStatistics.Parse(new Dictionary<string, double>(
        EngineCounters.All.Select(counter => KeyValuePair.Create(counter.Metric, 0.0)))) with
    {
        Lanes = 4,
        BufferedSignals = 3,
        Started = 32,
        Completed = 32,
        Signals = 32,
        Flushes = 64,
        SignalsConsumed = 29,
        InFlightSeconds = 1,
    };

    private static readonly DateTimeOffset Now = new(2026, 3, 17, 10, 0, 0, TimeSpan.Zero);

    [Fact]
    public void Everything_taken_is_conserved()
    {
        var checks = Of(Before with { Signals = 132, SignalsConsumed = 129 });

        Assert.Equal(["lostSignals", "backlog", "unexplainedInstances"], checks.Select(check => check.Name));
        Assert.All(
            checks, check => Assert.Equal((CheckOutcome.Passed, CheckSubject.System), (check.Outcome, check.Subject)));
    }

    [Theory]
    [InlineData(128, 0, 3, 1)] // One was taken by nobody,
    [InlineData(130, 0, 3, 1)] // one was taken twice,
    [InlineData(129, 2, 3, 2)] // two were given up and taken.
    public void Signal_that_is_nowhere_or_twice_is_counted(
        long consumed, long expired, long buffered, double unaccounted)
    {
        var lost = Of(
            Before with { Signals = 132, SignalsConsumed = consumed, SignalsExpired = expired,
                BufferedSignals = buffered })[0];

        Assert.Equal(("lostSignals", CheckOutcome.Failed, unaccounted), (lost.Name, lost.Outcome, lost.Value));
    }

    [Fact]
    public void Remaining_signals_are_a_backlog()
    {
        var checks = Of(
            Before with { Signals = 132, SignalsConsumed = 124, SignalsExpired = 1, BufferedSignals = 7,
                PendingCommands = 2 });

        Assert.Equal((CheckOutcome.Passed, CheckOutcome.Failed), (checks[0].Outcome, checks[1].Outcome));
        Assert.Equal((6.0, "2 commands and events in flight and 4 more signals buffered than before"),
            (checks[1].Value, checks[1].Reason));
    }

    [Theory]
    [InlineData(100, 100, 0, 0)]
    [InlineData(101, 100, 0, 1)] // A start was taken twice,
    [InlineData(98, 100, 0, 2)] // two were acknowledged and never made,
    [InlineData(101, 100, 2, 0)] // one of two without an answer was made,
    [InlineData(103, 100, 2, 1)] // and one more than both.
    public void Instances_known_to_one_side_are_counted(long made, long started, long unknown, double apart)
    {
        var ledger = new LedgerResult
            { Requested = started + unknown, Started = started, Completed = started, Unknown = unknown };
        var counted = Before with { Started = made, Completed = started, Signals = made };

        Assert.Equal(apart, ConservationChecks.OfClient(ledger, startsInstances: true, counted).First().Value);
        Assert.Equal(apart, ConservationChecks.OfClient(ledger, startsInstances: false, counted).Single().Value);
        Assert.Equal(
            [apart], ConservationChecks.OfClient(
                ledger, startsInstances: true, counted with { Called = 7, Started = made + 7 })
                .Select(check => check.Value!.Value));
    }

    /// <summary>The counts of a killed node are gone: only the store has all of the load.</summary>
    [Theory]
    [InlineData(100, 0, 0, 0, 0, 0, 0)]
    [InlineData(99, 0, 0, 0, 1, 1, 0)] // An acknowledged start was lost,
    [InlineData(101, 0, 0, 0, 1, 1, 0)] // one was made twice,
    [InlineData(99, 1, 1, 0, 0, 1, 0)] // one waits on,
    [InlineData(99, 1, 0, 0, 0, 1, 1)] // or only the store says that it does,
    [InlineData(99, 0, 0, 1, 0, 0, 0)] // and one without an answer was not made.
    public void Without_counters_instances_are_compared_with_the_store(
        long completed, long live, long gauge, long unknown, double started, double done, double stored)
    {
        var ledger =
            new LedgerResult { Requested = 100, Started = 100 - unknown, Completed = 100 - unknown, Unknown = unknown };
        var after = Before with { Started = 0, Completed = 0, LiveInstances = gauge };

        var checks = ConservationChecks.OfStoreAlone(ledger, Before, after, new(0, live, 0, completed, 0, 0));

        Assert.Equal(
            [("startedOnce", started), ("completedOnce", done), ("storedOnce", stored)],
            checks.Select(check => (check.Name, check.Value!.Value)));
    }

    [Fact]
    public void Without_counters_only_remaining_signals_are_counted()
    {
        var checks = ConservationChecks.OfService(
            Before, Before with { Signals = 3, BufferedSignals = 4 }, "a node left").ToList();

        Assert.Equal((CheckOutcome.NotApplicable, CheckOutcome.Failed), (checks[0].Outcome, checks[1].Outcome));
        Assert.StartsWith("a node left: ", checks[0].Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Completions_seen_by_one_side_are_counted()
    {
        var ledger = new LedgerResult { Requested = 100, Started = 100, Completed = 100 };
        var after = Before with { Started = 132, Completed = 131, LiveInstances = 1 };

        var completed = ConservationChecks.OfClient(ledger, startsInstances: true, after.Since(Before)).Last();
        Assert.Equal(("completedOnce", CheckOutcome.Failed, 1.0), (completed.Name, completed.Outcome, completed.Value));
        Assert.Equal(0, ConservationChecks.OfStore(Before, after, new(0, 1, 0, 99, 0, 0)).Value);
        var stored = ConservationChecks.OfStore(Before, after, new(0, 0, 1, 98, 1, 0));
        Assert.Equal((2.0, "by service and store: completed 99 and 98, failed 0 and 1"), (stored.Value, stored.Reason));
    }

    [Fact]
    public void Live_instance_without_a_reason_to_wait_is_counted()
    {
        InstanceView[] live =
        [
            Instance(InstanceState.Waiting, new InstanceWait("s", "signal", "go", "k", null)),
            Instance(InstanceState.Waiting, new InstanceWait("d", "delay", null, null, Now.AddMinutes(1))),
            Instance(InstanceState.Running, new InstanceWait("a", "activity", "echo", null, Now.AddMinutes(1))),
            Instance(InstanceState.Suspended),
            Instance(InstanceState.Waiting), // Nothing is awaited,
            Instance(InstanceState.Waiting,
                new InstanceWait("d", "delay", null, null, Now.AddMinutes(-1))), // the delay is long over,
            Instance(InstanceState.Running,
                new InstanceWait("a", "activity", "echo", null, null)), // the activity does not run.
        ];

        Assert.Equal(3, StoreAudit.Count(live, [], Now)[StoreAudit.UnexplainedInstances]);
    }

    [Fact]
    public void Orphaned_sub_workflows_and_tasks_are_counted()
    {
        var (child, task) =
            (Instance(InstanceState.Waiting, new InstanceWait("s", "signal", "go", "k", null)), Guid.NewGuid());
        var parent = Instance(
            InstanceState.Waiting, new InstanceWait("c", "call", "child", null, null, Id: child.Id),
            new InstanceWait("t", "task", "ann", null, null, Id: task));
        InstanceView[] live =
        [
            parent,
            child with { ParentId = parent.Id },
            child with { Id = Guid.NewGuid(), ParentId = parent.Id }, // Its parent waits for another,
            // and this one for nobody.
            Instance(InstanceState.Waiting, new InstanceWait("c", "call", "child", null, null, Id: Guid.NewGuid())),
        ];

        var broken =
            StoreAudit.Count(live, [Task(task, parent.Id), Task(task, child.Id), Task(Guid.NewGuid(), parent.Id)], Now);

        Assert.Equal(
            (1, 1, 2),
            (broken[StoreAudit.OrphanChildren], broken[StoreAudit.UnexplainedInstances],
                broken[StoreAudit.OrphanTasks]));
    }

    private static TaskView Task(Guid id, Guid instance) => new()
    {
        Id = id,
        InstanceId = instance,
        Definition = "waits",
        DefinitionVersion = 1,
        Step = "t",
        State = TaskState.Open,
        Groups = [],
        CreatedUtc = Now,
        UpdatedUtc = Now,
    };

    private static CheckResult[] Of(EngineStatistics after) =>
        
    [
        .. ConservationChecks.OfService(Before, after),
        .. ConservationChecks.OfStore(new Dictionary<string, long> { [StoreAudit.UnexplainedInstances] = 0 }),
    ];

    private static InstanceView Instance(InstanceState state, params InstanceWait[] waits) => new()
    {
        Id = Guid.NewGuid(),
        Definition = "waits",
        Version = 1,
        State = state,
        Variables = default,
        Waits = waits,
        CreatedUtc = Now,
        UpdatedUtc = Now,
    };
}

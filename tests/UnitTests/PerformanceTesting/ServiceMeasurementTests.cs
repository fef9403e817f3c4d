using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting;

/// <summary>What a foreign service does to one of its orders appears in the ledger and in the verdict.</summary>
public sealed class ServiceMeasurementTests
{
    private const int Orders = 20;
    private const string Shipped = "Shipped";
    private static readonly TimeSpan Packing = TimeSpan.FromHours(1);

    public enum Deed
    {
        Nothing,
        LosesTheEvent,
        PublishesTwice,
        PublishesForAnother,
        PublishesForAnotherToo,
        Refuses,
        Breaks,
        PublishesAndRefuses,
        PublishesBesides,
    }

    [Theory]
    [InlineData(Deed.Nothing, "requested 20, started 20, completed 20")]
    [InlineData(Deed.LosesTheEvent, "requested 20, started 20, completed 19, stuck 1, lost 1")]
    [InlineData(Deed.PublishesTwice, "requested 20, started 20, completed 20, duplicate 1")]
    [InlineData(Deed.PublishesForAnother, "requested 20, started 20, completed 19, stuck 1, lost 1, unmatched 1")]
    [InlineData(Deed.PublishesForAnotherToo, "requested 20, started 20, completed 20, unmatched 1")]
    [InlineData(Deed.Refuses, "requested 20, refused 1, started 19, completed 19")]
    [InlineData(Deed.Breaks, "requested 20, unknown 1, started 19, completed 19")]
    [InlineData(Deed.PublishesAndRefuses, "requested 20, refused 1, started 19, completed 20")]
    public async Task Run_passes_only_with_one_event_per_order(Deed deed, string account)
    {
        var run = await MeasureAsync(deed);

        var ledger = run.Total.Ledger!;
        var counts = ledger.Counts().Where(count => count.Value != 0).Select(count => $"{count.Key} {count.Value}");
        AssertHolds(string.Join(", ", counts), account.Split(", "));
        Assert.Equal(deed == Deed.Nothing ? VerdictOutcome.Passed : VerdictOutcome.Failed, run.Total.Verdict.Outcome);
    }

    [Fact]
    public async Task Event_for_another_order_fails_the_run_and_is_named()
    {
        var run = await MeasureAsync(Deed.PublishesForAnotherToo);

        Assert.Contains(
            "unexpectedEvents: 1 of the events Shipped came for keys of no running operation; 0 are allowed",
            run.Total.Verdict.Reasons);
    }

    [Theory]
    [InlineData(
        Deed.LosesTheEvent, "19 of 20 operations completed", "lost is 1 and must be 0", "1 failed: lost no event for ")]
    [InlineData(Deed.PublishesTwice, "duplicate is 1 and must be 0")]
    [InlineData(Deed.Refuses, "19 of 20 operations completed", "1 failed: 503 place was refused")]
    [InlineData(Deed.Breaks, "19 of 20 operations completed", "1 failed: ")]
    public async Task Fault_of_the_warm_up_fails_the_run(Deed deed, params string[] faults)
    {
        var total = (await MeasureAsync(deed, warmUps: Orders)).Total;

        Assert.Equal(VerdictOutcome.Failed, total.Verdict.Outcome);
        Assert.Equal(faults.Length, total.Verdict.Reasons.Count);
        Assert.All(faults, fault => Assert.Contains(
            total.Verdict.Reasons, reason => reason.StartsWith($"in the warm-up: {fault}", StringComparison.Ordinal)));
        Assert.Equal(new LedgerResult { Requested = Orders, Started = Orders, Completed = Orders }, total.Ledger);
        Assert.Equal((Orders, Orders, 0, 0),
            (total.WarmUp!.Operations, total.Latency.N, total.Errors!.Count, total.Stalls!.Count));
    }

    [Fact]
    public async Task Sound_warm_up_is_counted_and_is_not_a_reason()
    {
        var total = (await MeasureAsync(Deed.Nothing, warmUps: 5)).Total;

        Assert.Equal((VerdictOutcome.Passed, 0), (total.Verdict.Outcome, total.Verdict.Reasons.Count));
        Assert.Equal((5, 5, 0, 0),
            (total.WarmUp!.Operations, total.WarmUp.Completed, total.WarmUp.Lost, total.WarmUp.Duplicate));
        Assert.Null((await MeasureAsync(Deed.Nothing)).Total.WarmUp);
    }

    [Fact]
    public async Task Late_duplicate_of_a_warm_up_event_changes_the_verdict()
    {
        var time = new LeapingTime();
        var (shop, keys) = (new Shop(Deed.Nothing, time), new List<string>());
        await using var arranged = await ServiceUnderTest.ArrangeAsync(
            _ => Task.FromResult(shop), one => new OrderScenario(one, time, warmUps: 1) { Placed = keys.Add }, Cancel);
        var run = await MeasurementPipeline.MeasureAsync(arranged, engine: null, Cancel);

        shop.Observe(Shipped, keys[0], System.Diagnostics.Stopwatch.GetTimestamp());

        var changed = new LateEvents(run, arranged.System.Awaiter).ResultNow();
        Assert.Equal(
            (VerdictOutcome.Passed, VerdictOutcome.Failed), (run.Total.Verdict.Outcome, changed!.Verdict.Outcome));
        Assert.Equal((1, 0), (changed.WarmUp!.Duplicate, changed.Ledger!.Duplicate));
        Assert.Equal(
            "1 event of the warm-up came a second time after the verdict of the run", changed.Verdict.Reasons.Single());
    }

    [Fact]
    public async Task Warm_up_fault_of_a_load_step_fails_the_search()
    {
        var time = new LeapingTime();
        var target = new CapacityTarget(token => ServiceUnderTest.ArrangeAsync(
            _ => Task.FromResult(new Shop(Deed.PublishesTwice, time)),
            shop => new OrderScenario(shop, time, warmUps: 10), token));

        var step = await target.KeepAsync(1, TimeSpan.FromMilliseconds(100), Cancel);

        Assert.Equal(0, step.Failed);
        Assert.Equal("at 1 at a time in the warm-up: duplicate is 1 and must be 0", target.Violations.Single());
    }

    [Fact]
    public async Task Event_that_ends_no_operation_is_not_counted()
    {
        var time = new LeapingTime();
        var shop = new Shop(Deed.PublishesBesides, time);
        var keys = new List<string>();

        var run = await MeasurementPipeline.RunAsync(
            token => ServiceUnderTest.ArrangeAsync(
                _ => Task.FromResult(shop),
                one => new OrderScenario(one, time, warmUps: 1) { Placed = ShipTheFirstAgain },
                token),
            Cancel);

        Assert.Equal("in the warm-up: duplicate is 1 and must be 0", run.Total.Verdict.Reasons.Single());
        Assert.Equal((1, 0), (run.Total.Ledger!.Unmatched, run.Total.Ledger.Duplicate));

        void ShipTheFirstAgain(string key)
        {
            keys.Add(key);
            if (keys.Count == 2)
            {
                shop.Observe(Shipped, keys[0], System.Diagnostics.Stopwatch.GetTimestamp());
            }
        }
    }

    [Fact]
    public async Task Limit_on_a_step_that_never_ran_fails_the_run()
    {
        var run = await MeasureAsync(
            Deed.Nothing, Threshold.AtLeast("completed", 1, stepName: "notify"),
            Threshold.AtMost("p50Ms", 60_000, stepName: "notify"));

        Assert.Equal(VerdictOutcome.Failed, run.Total.Verdict.Outcome);
        Assert.Contains("a limit is on the step notify, which never ran; there are pack, place, shipped",
            run.Total.Verdict.Reasons);
        Assert.All(run.Total.Thresholds!,
            judged => Assert.Equal((0L, ThresholdOutcome.NotEnoughSamples), (judged.N, judged.Outcome)));
    }

    [Fact]
    public async Task Limit_on_an_ordinary_step_is_judged_on_that_step()
    {
        var run = await MeasureAsync(
            Deed.Nothing, Threshold.AtLeast("maxMs", Packing.TotalMilliseconds, stepName: "pack"),
            Threshold.AtLeast("completed", Orders, stepName: "place"));

        Assert.Equal(
            [("pack.maxMs", ThresholdOutcome.Passed), ("place.completed", ThresholdOutcome.Passed)],
            run.Total.Thresholds!.Select(judged => (judged.Metric, judged.Outcome)));
        Assert.Equal(VerdictOutcome.Passed, run.Total.Verdict.Outcome);
    }

    [Fact]
    public async Task Result_of_a_service_says_what_it_is_of()
    {
        var run = await MeasureAsync(Deed.Nothing);

        Assert.Equal(
            ("service-orders", "service", HostingKind.Http), (run.Total.Name, run.Total.Profile, run.Total.Hosting));
        Assert.Equal(4, run.Total.Concurrency);
        Assert.Equal(Orders, run.Total.Phases["place"].N);
        Assert.Equal(64, run.Total.DefinitionHash!.Length);
        Assert.Equal(1, run.Total.Backend!.PerOperation["messagesPublished"]);
        Assert.NotNull(run.Total.Findings);
    }

    [Fact]
    public async Task Repeated_warm_up_is_not_measured()
    {
        var time = new LeapingTime();
        var keys = new List<string>();

        var run = await MeasurementPipeline.RunAsync(
            token => ServiceUnderTest.ArrangeAsync(
                _ => Task.FromResult(new Shop(Deed.Nothing, time)),
                shop => new OrderScenario(shop, time, warmUps: 2) { Placed = keys.Add, WarmUps = 3 }, token),
            Cancel);

        Assert.Equal((6 + Orders, 6 + Orders), (keys.Count, keys.Distinct().Count()));
        Assert.Equal((Orders, 0), (run.Total.Ledger!.Started, run.Total.Ledger.Unmatched));
    }

    [Fact]
    public async Task Step_of_a_capacity_search_warms_up_as_its_scenario_says()
    {
        var time = new LeapingTime();
        OrderScenario? orders = null;
        var target = new CapacityTarget(token => ServiceUnderTest.ArrangeAsync(
            _ => Task.FromResult(new Shop(Deed.Nothing, time)),
            shop => orders = new OrderScenario(shop, time, warmUps: 2) { WarmUps = 3 },
            token));

        var step = await target.KeepAsync(1, TimeSpan.FromMilliseconds(100), Cancel);

        Assert.Equal((3, 0L), (orders!.WarmedUp, step.Failed));
        Assert.Empty(target.Violations);
    }

    [Theory]
    [InlineData(1, 0.05), InlineData(3, 0.5, 0.06, 0.05), InlineData(60, 0.9)]
    public async Task Process_is_warm_when_compilation_is_below_a_twentieth(int slices, params double[] shares)
    {
        var (loaded, compiled) = (0, TimeSpan.Zero);

        var warm = WarmUpRule.RunAsync(
            () => Task.FromResult((TimeSpan.FromSeconds(loaded), compiled)),
            () =>
            {
                compiled += TimeSpan.FromSeconds(shares[Math.Min(loaded++, shares.Length - 1)]);
                return Task.CompletedTask;
            });

        if (shares[^1] > 0.05)
        {
            var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => warm);
            Assert.Contains("After 60 s of load 90 % of the processor time still goes to the just-in-time compiler",
                failure.Message);
        }
        else
        {
            Assert.Equal(slices * WarmUpRule.Slice, await warm);
        }

        Assert.Equal(slices, loaded);
    }

    /// <summary>Were it the other way round, each would wait for the other.</summary>
    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Previous_system_ends_before_the_load(bool mayEndBeside)
    {
        var results = Directory.CreateTempSubdirectory("run-session-");
        var session = new RunSession(new MetricsTargets(), []) { EndsBesideWarmUp = mayEndBeside };
        await session.OpenAsync(results.FullName, Repository.Root, "", Cancel);
        var warm = new TaskCompletionSource();
        var ended = false;
        var first = new Shop(Deed.Nothing, TimeProvider.System)
        {
            Stop = async () =>
            {
                await (mayEndBeside ? warm.Task : Task.CompletedTask);
                ended = true;
            },
        };
        await MeasureAsync(session, first);
        var (warmUp, load) = (new List<bool>(), new List<bool>());

        var second = new Shop(Deed.Nothing, TimeProvider.System);
        await MeasureAsync(session, second, warmUps: 1, placed: () =>
        {
            (warmUp.Count == 0 ? warmUp : load).Add(ended);
            warm.TrySetResult();
        });

        Assert.Equal([!mayEndBeside], warmUp);
        Assert.Equal(Orders, load.Count);
        Assert.DoesNotContain(false, load);
        await session.DisposeAsync();
        results.Delete(recursive: true);
    }

    [Fact]
    public async Task Scenario_measured_again_counts_once()
    {
        var results = Directory.CreateTempSubdirectory("run-session-");
        var session = new RunSession(new MetricsTargets(), []);
        await session.OpenAsync(results.FullName, Repository.Root, "", Cancel);

        await MeasureAsync(session, new Shop(Deed.Nothing, TimeProvider.System));
        await MeasureAsync(session, new Shop(Deed.Nothing, TimeProvider.System));

        Assert.Equal(2, session.Writer!.Run.Scenarios.Count);
        Assert.Equal(new ScenarioCounts(1, 0, 0), ScenarioCounts.Of(session.Writer.Run));
        Assert.Equal(new ScenarioCounts(1, 0, 0), session.Progress.Read().Counts());
        await session.DisposeAsync();
        results.Delete(recursive: true);
    }

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Service_that_cannot_be_stopped_is_reported_once(bool endsBesideWarmUp)
    {
        var results = Directory.CreateTempSubdirectory("run-session-");
        var session = new RunSession(new MetricsTargets(), []) { EndsBesideWarmUp = endsBesideWarmUp };
        await session.OpenAsync(results.FullName, Repository.Root, "", Cancel);

        await MeasureAsync(session, Broken());
        var second = await MeasureAsync(session, new Shop(Deed.Nothing, TimeProvider.System));
        var ofTheFirst = session.TakeLateFailures();
        var third = await MeasureAsync(session, Broken());
        var ofTheSecond = session.TakeLateFailures();
        await session.DisposeAsync();

        Assert.Equal(
            (VerdictOutcome.Passed, VerdictOutcome.Passed),
            (second.Result.Verdict.Outcome, third.Result.Verdict.Outcome));
        AssertHolds(Assert.Single(ofTheFirst), "service-orders", "IOException: The response ended prematurely.");
        Assert.Empty(ofTheSecond);
        Assert.Single(session.TakeLateFailures());
        Assert.True(File.Exists(Path.Combine(results.FullName, "index.html")));
        results.Delete(recursive: true);

        static Shop Broken() => new(Deed.Nothing, TimeProvider.System)
        {
            Stop = () => throw new IOException("The response ended prematurely."),
        };
    }

    private static Task<RunReport> MeasureAsync(
        RunSession session, Shop shop, int warmUps = 0, Action? placed = null) =>
        session.MeasureAsync(
            token => ServiceUnderTest.ArrangeAsync(
                _ => Task.FromResult(shop),
                one => new OrderScenario(one, new LeapingTime(), warmUps) { Placed = _ => placed?.Invoke() }, token),
            engine: null, Cancel);

    private static Task<MeasuredRun> MeasureAsync(Deed deed, params Threshold[] limits) =>
        MeasureAsync(deed, warmUps: 0, limits);

    private static Task<MeasuredRun> MeasureAsync(Deed deed, int warmUps, params Threshold[] limits)
    {
        var time = new LeapingTime();
        return MeasurementPipeline.RunAsync(
            token => ServiceUnderTest.ArrangeAsync(
                _ => Task.FromResult(new Shop(deed, time)),
                shop => new OrderScenario(shop, time, warmUps) { Limits = limits }, token),
            Cancel);
    }

    private sealed class OrderScenario : ServiceScenario
    {
        private readonly Shop _shop;
        private readonly LeapingTime _time;
        private int _over;

        public OrderScenario(Shop shop, LeapingTime time, int warmUps = 0)
            : base("orders", "Smoke", Simulation.IterationsForConstant(copies: 4, iterations: Orders)) =>
            (_shop, _time, WarmUpOperations) = (shop, time, warmUps);

        public Action<string> Placed { get; init; } = _ => { };

        public override string Question => "Is each order shipped once?";

        public override string? CompletionEvent => Shipped;

        public override TimeSpan EventTimeout => TimeSpan.FromMinutes(1);

        public override IReadOnlyList<string> Phases => ["place", "shipped"];

        public int WarmUps { get; init; } = 1;

        public int WarmedUp { get; private set; }

        public override async Task WarmUpAsync(Func<Task> loadAsync)
        {
            for (; WarmedUp < WarmUps; WarmedUp++)
            {
                await loadAsync();
            }
        }

        protected override async Task<IResponse> RunAsync(ServiceOperation operation)
        {
            lock (_shop)
            {
                Placed(operation.Key);
            }

            operation.Context.RecordStep(
                "pack", 0, (long)(Packing.TotalSeconds * System.Diagnostics.Stopwatch.Frequency), isOk: true);

            await operation.SendAsync("place", cancellation => _shop.PlaceAsync(operation.Key, cancellation));
            var response = await operation.CompletedByEventAsync("shipped");
            if (Interlocked.Increment(ref _over) == Orders - 1 && _shop.KeepsOneWaiting)
            {
                // The others have their events, however late. Only the one without its event may time out.
                _time.Leap(EventTimeout);
            }

            return response;
        }
    }

    /// <summary>The system's clock, until it leaps over what a wait for nothing would take.</summary>
    private sealed class LeapingTime : TimeProvider
    {
        private long _leapt;

        public void Leap(TimeSpan by) => Interlocked.Add(ref _leapt, (long)(by.TotalSeconds * TimestampFrequency));

        public override long GetTimestamp() => base.GetTimestamp() + Interlocked.Read(ref _leapt);
    }

    /// <summary>Ships at once, but for the tenth order.</summary>
    private sealed class Shop(Deed deed, TimeProvider time) : ServiceUnderTest(time)
    {
        private const int Special = 10;
        private int _orders;

        public Func<Task> Stop { get; init; } = () => Task.CompletedTask;

        public bool KeepsOneWaiting => deed is Deed.LosesTheEvent or Deed.PublishesForAnother;

        public override BackendInfo Describe() => new() { Product = "shop", Durability = "none" };

        protected override async ValueTask StopAsync() => await Stop();

        public async Task<HttpResponseMessage> PlaceAsync(string key, CancellationToken cancellationToken)
        {
            await Task.Delay(1, cancellationToken);
            var doing = Interlocked.Increment(ref _orders) == Special ? deed : Deed.Nothing;
            if (doing is not (Deed.LosesTheEvent or Deed.Refuses or Deed.Breaks))
            {
                Observe(Shipped, doing == Deed.PublishesForAnother ? key + "?" : key,
                    System.Diagnostics.Stopwatch.GetTimestamp());
            }

            if (doing == Deed.PublishesForAnotherToo)
            {
                Observe(Shipped, key + "?", System.Diagnostics.Stopwatch.GetTimestamp());
            }

            if (doing == Deed.PublishesBesides)
            {
                Observe("Billed", key, System.Diagnostics.Stopwatch.GetTimestamp());
            }

            if (doing == Deed.PublishesTwice)
            {
                Observe(Shipped, key, System.Diagnostics.Stopwatch.GetTimestamp());
            }

            return new HttpResponseMessage(doing switch
            {
                Deed.Refuses or Deed.PublishesAndRefuses => HttpStatusCode.ServiceUnavailable,
                Deed.Breaks => HttpStatusCode.InternalServerError,
                _ => HttpStatusCode.Accepted,
            });
        }
    }
}

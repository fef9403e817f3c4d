using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting;

/// <summary>What a service of somebody else does to one of its orders is in the account and in the verdict.</summary>
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
    public async Task Only_a_run_in_which_each_order_has_its_one_event_passes(Deed deed, string account)
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
            "unexpectedEvents: 1 of the events Shipped came for keys that no operation had, or no longer; 0 are allowed",
            run.Total.Verdict.Reasons);
    }

    [Fact]
    public async Task Event_that_ends_no_operation_and_one_of_the_warm_up_are_not_held_against_the_run()
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

        Assert.Equal(VerdictOutcome.Passed, run.Total.Verdict.Outcome);
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
    public async Task Limit_on_a_step_that_never_ran_fails_the_run_and_names_the_step()
    {
        var run = await MeasureAsync(
            Deed.Nothing, Threshold.AtLeast("completed", 1, stepName: "notify"), Threshold.AtMost("p50Ms", 60_000, stepName: "notify"));

        Assert.Equal(VerdictOutcome.Failed, run.Total.Verdict.Outcome);
        Assert.Contains("a limit is on the step notify, which never ran; there are pack, place, shipped", run.Total.Verdict.Reasons);
        Assert.All(run.Total.Thresholds!, judged => Assert.Equal((0L, ThresholdOutcome.NotEnoughSamples), (judged.N, judged.Outcome)));
    }

    [Fact]
    public async Task Limit_on_a_step_that_is_no_phase_is_judged_on_that_step()
    {
        var run = await MeasureAsync(
            Deed.Nothing, Threshold.AtLeast("maxMs", Packing.TotalMilliseconds, stepName: "pack"),
            Threshold.ForStep("placed", "place", Orders, step => step.Ok.Count == Orders));

        Assert.Equal(
            [("pack.maxMs", ThresholdOutcome.Passed), ("place.placed", ThresholdOutcome.Passed)],
            run.Total.Thresholds!.Select(judged => (judged.Metric, judged.Outcome)));
        Assert.Equal(VerdictOutcome.Passed, run.Total.Verdict.Outcome);
    }

    [Fact]
    public async Task Result_of_a_service_says_what_it_is_of()
    {
        var run = await MeasureAsync(Deed.Nothing);

        Assert.Equal(("service-orders", "service", HostingKind.Http), (run.Total.Name, run.Total.Profile, run.Total.Hosting));
        Assert.Equal(4, run.Total.Concurrency);
        Assert.Equal(Orders, run.Total.Phases["place"].N);
        Assert.Equal(64, run.Total.DefinitionHash!.Length);
        Assert.Equal(1, run.Total.Backend!.PerOperation["messagesPublished"]);
        Assert.NotNull(run.Total.Findings);
    }

    [Fact]
    public async Task Scenario_says_how_often_its_warm_up_is_repeated_and_none_of_it_is_measured()
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
    public async Task Process_is_warm_once_at_most_a_twentieth_of_its_time_goes_to_the_compiler(int slices, params double[] shares)
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
            Assert.Contains("After 60 s of load 90 % of the processor time still goes to the just-in-time compiler", failure.Message);
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
    public async Task System_before_ends_beside_the_warm_up_where_it_may_and_always_before_the_load(bool mayEndBeside)
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

    [Theory]
    [InlineData(true), InlineData(false)]
    public async Task Service_that_cannot_be_stopped_is_reported_once_and_spoils_no_measurement_after_it(bool endsBesideWarmUp)
    {
        var results = Directory.CreateTempSubdirectory("run-session-");
        var session = new RunSession(new MetricsTargets(), []) { EndsBesideWarmUp = endsBesideWarmUp };
        await session.OpenAsync(results.FullName, Repository.Root, "", Cancel);

        await MeasureAsync(session, Broken());
        var second = await MeasureAsync(session, new Shop(Deed.Nothing, TimeProvider.System));
        var ofTheFirst = session.TakeAfterVerdict();
        var third = await MeasureAsync(session, Broken());
        var ofTheSecond = session.TakeAfterVerdict();
        await session.DisposeAsync();

        Assert.Equal(
            (VerdictOutcome.Passed, VerdictOutcome.Passed), (second.Result.Verdict.Outcome, third.Result.Verdict.Outcome));
        AssertHolds(Assert.Single(ofTheFirst), "service-orders", "IOException: The response ended prematurely.");
        Assert.Empty(ofTheSecond);
        Assert.Single(session.TakeAfterVerdict());
        Assert.True(File.Exists(Path.Combine(results.FullName, "index.html")));
        results.Delete(recursive: true);

        static Shop Broken() => new(Deed.Nothing, TimeProvider.System)
        {
            Stop = () => throw new IOException("The response ended prematurely."),
        };
    }

    private static Task<RunReport> MeasureAsync(RunSession session, Shop shop, int warmUps = 0, Action? placed = null) =>
        session.MeasureAsync(
            token => ServiceUnderTest.ArrangeAsync(
                _ => Task.FromResult(shop),
                one => new OrderScenario(one, new LeapingTime(), warmUps) { Placed = _ => placed?.Invoke() }, token),
            engine: null, CancellationToken.None, Cancel);

    private static Task<MeasuredRun> MeasureAsync(Deed deed, params Threshold[] limits)
    {
        var time = new LeapingTime();
        return MeasurementPipeline.RunAsync(
            token => ServiceUnderTest.ArrangeAsync(
                _ => Task.FromResult(new Shop(deed, time)), shop => new OrderScenario(shop, time) { Limits = limits }, token),
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

            operation.Context.RecordStep("pack", 0, (long)(Packing.TotalSeconds * System.Diagnostics.Stopwatch.Frequency), isOk: true);

            await operation.SendAsync("place", cancellation => _shop.PlaceAsync(operation.Key, cancellation));
            var response = await operation.CompletedByEventAsync("shipped");
            if (Interlocked.Increment(ref _over) == Orders - 1 && _shop.KeepsOneWaiting)
            {
                // However long the others took, they have their events: only the one without is left to run out of time.
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
                Observe(Shipped, doing == Deed.PublishesForAnother ? key + "?" : key, System.Diagnostics.Stopwatch.GetTimestamp());
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

using System.Diagnostics;
using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Load.Events;
using PerformanceTesting.Measurement;

namespace UnitTests.PerformanceTesting;

public sealed class SoakTests : IDisposable
{
    private static readonly TimeSpan Hour = TimeSpan.FromHours(1);

    private static readonly LeakRules Soon = new()
    {
        Shortest = TimeSpan.FromSeconds(2), Every = TimeSpan.FromSeconds(1), Interval = TimeSpan.FromMilliseconds(100),
        // Other tests of this process make both grow as steadily.
        MemoryFloorBytes = double.MaxValue, HandleFloor = double.MaxValue,
    };

    private readonly string _directory = Directory.CreateTempSubdirectory("soak").FullName;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public async Task Proven_leak_ends_the_soak_with_its_slope()
    {
        var (system, scenario, readings) = (new IdleSystem(), new SteadyScenario(Hour), 0);
        var leaks = new LeakObserver(
            system, scenario,
            [
                new LeakProbe(
                    "planted", "items", Floor: 10, _ => ValueTask.FromResult<double?>(1_000 + (100.0 * readings++))),
                new LeakProbe("steady", "items", Floor: 10, _ => ValueTask.FromResult<double?>(1_000)),
            ],
            Soon);
        var began = Stopwatch.GetTimestamp();

        var run = await MeasurementPipeline.RunAsync(
            _ => Task.FromResult(new Arrangement(system, [scenario], [leaks])), Cancel);

        Assert.InRange(Stopwatch.GetElapsedTime(began), TimeSpan.FromSeconds(3), TimeSpan.FromMinutes(3));
        var total = run.Total;
        Assert.Equal(VerdictOutcome.Failed, total.Verdict.Outcome);
        Assert.Contains(total.Verdict.Reasons,
            reason => reason.Contains("a leak is proven: planted grows by ", StringComparison.Ordinal));
        Assert.Contains("items an hour", total.Generator!.StopReason, StringComparison.Ordinal);
        var planted = total.Validity!.Leaks!.Single(leak => leak.Name == "planted");
        // 100 a reading, ten readings a second where the machine lets them be.
        Assert.True(planted.Leaks && planted.GrowthLow > planted.Limit, $"{planted}");
        Assert.InRange(planted.Growth / planted.SpanSeconds, 100, 1_100);
        Assert.False(total.Validity.Leaks!.Single(leak => leak.Name == "steady").Leaks);
        Assert.True(total.Ledger!.Completed > 0 && total.Ledger.Balanced);
        var read =
            total.Validity.Checks.Where(check => check.Name.EndsWith("Slope", StringComparison.Ordinal)).ToList();
        Assert.Equal(
            new[] { "handles", "managedHeap", "p95", "planted", "steady", "workingSet" }.Select(name => name + "Slope"),
            read.Select(check => check.Name).Order(StringComparer.Ordinal));
        Assert.All(read, check => Assert.DoesNotMatch("^0 readings|could not be read", check.Reason));
    }

    [Theory]
    [InlineData(0, VerdictOutcome.Failed), InlineData(1, VerdictOutcome.Inconclusive)]
    public async Task Latency_growth_shared_by_fixed_work_may_be_the_machine(double growth, VerdictOutcome expected)
    {
        var (system, scenario, latency, work) = (new IdleSystem(), new SteadyScenario(TimeSpan.FromSeconds(5)), 0, 0);
        var leaks = new LeakObserver(
            system, scenario,
            [
                new LeakProbe("p95", "ms", Floor: 1, _ => ValueTask.FromResult<double?>(100 + (10 * latency++))),
                new LeakProbe("work", "ms", Floor: 0,
                    _ => ValueTask.FromResult<double?>(100 + (growth * work++))) { IsReference = true },
            ],
            Soon);

        var run = await MeasurementPipeline.RunAsync(
            _ => Task.FromResult(new Arrangement(system, [scenario], [leaks])), Cancel);

        // The first check is of the scenario's own latency, which depends on how busy the machine is.
        var planted = run.Total.Validity!.Checks.Last(check => check.Name == Verdicts.LatencySlope);
        var verdict = Verdicts.Judge(new VerdictEvidence
        {
            Tier = scenario.Tier, Ledger = run.Total.Ledger!, Checks = [planted],
            Host = [.. run.Evidence.Host.Where(reason => reason.StartsWith("the same work", StringComparison.Ordinal))],
        });
        Assert.Equal(expected, verdict.Outcome);
        Assert.Equal(
            growth > 0, run.Evidence.SlowerMachine?.StartsWith("work went from ", StringComparison.Ordinal) ?? false);
        Assert.DoesNotContain(run.Total.Validity.Leaks!, leak => leak.Name == "work");
    }

    [Fact]
    public void Uncertain_leak_does_not_end_the_soak()
    {
        var leak = new LeakResult
        {
            Name = "x", Unit = "bytes", Samples = 60, SpanSeconds = 1_800, Start = 100e6, Growth = 15e6,
            GrowthLow = 9e6,
            GrowthHigh = 20e6,
            Limit = 10e6, Leaks = true,
        };

        Assert.False(LeakTest.IsProven(leak));
        Assert.True(LeakTest.IsProven(leak with { GrowthLow = 10.1e6 }));
        Assert.Equal("x grows by 30 MB an hour", LeakTest.SlopeOf(leak));
    }

    [Fact]
    public async Task Killed_soak_continues_with_the_rest()
    {
        await MeasureAndDieAsync(Open(resumes: false), 20);
        await MeasureAndDieAsync(Open(resumes: true), 40);
        await File.AppendAllTextAsync(Path.Combine(_directory, "s.jsonl"), "{\"ToSeconds\":45,\"Compl", Cancel);

        var journal = Open(resumes: true);
        Assert.Equal((TimeSpan.FromSeconds(3_540), 2), (journal.Remaining, journal.Earlier.Count));
        await journal.StartAsync(Cancel);
        journal.Look(Interval(5, completed: 7, failed: 0, isLast: true));
        var (system, scenario) = (new IdleSystem(), new SteadyScenario(TimeSpan.FromMilliseconds(50)));
        var evidence = (await MeasurementPipeline.RunAsync(
            _ => Task.FromResult(new Arrangement(system, [scenario], [])), Cancel)).Evidence;
        evidence.Checks.Clear();
        journal.AddTo(evidence);

        Assert.Equal([(20_000.0, 40L, 4L, true), (40_000.0, 80L, 8L, true), (5_000.0, 7L, 0L, false)],
            evidence.Segments!
                .Select(segment => (segment.DurationMs, segment.Completed, segment.Failed, segment.Died)));
        Assert.Equal([40L, 80L, 7L], evidence.Segments!.Select(segment => segment.Latency.N));
        var check = Assert.Single(evidence.Checks);
        Assert.Equal((CheckOutcome.Failed, 12.0), (check.Outcome, check.Value));
        // It came to its end: the next one is a new one.
        Assert.Equal((Hour, 0), (Open(resumes: true).Remaining, Open(resumes: true).Earlier.Count));
    }

    [Fact]
    public async Task Unfinished_soak_continues_only_on_request()
    {
        await MeasureAndDieAsync(Open(resumes: false), 20);

        var error = Assert.Throws<ArgumentException>(() => Open(resumes: true, commit: "other"));
        Assert.Contains("is of commit c and 3600 s", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => Open(resumes: true, planned: TimeSpan.FromMinutes(2)));
        Assert.Empty(Open(resumes: false).Earlier);
    }

    private SoakJournal Open(bool resumes, string commit = "c", TimeSpan? planned = null) =>
        SoakJournal.Open(_directory, "s", commit, planned ?? Hour, resumes);

    private static async Task MeasureAndDieAsync(SoakJournal journal, int seconds)
    {
        await journal.StartAsync(Cancel);
        for (var to = 5; to <= seconds; to += 5)
        {
            journal.Look(Interval(to, completed: 10, failed: 1, isLast: false));
        }
    }

    private static LoadInterval Interval(int to, int completed, int failed, bool isLast) => new(
        TimeSpan.FromSeconds(to - 5), TimeSpan.FromSeconds(to), isLast,
        [new ScenarioInterval { Name = "s", Ok = Stats(completed), Fail = Stats(failed), Steps = [] }], _ => { });

    private static MeasurementStats Stats(int count)
    {
        var latency = new LatencyHistogram();
        for (var number = 0; number < count; number++)
        {
            latency.Record(TimeSpan.FromMilliseconds(1));
        }

        return new()
        {
            Model = LoadModel.Closed, Count = count, Percent = 0, RatePerSecond = 0, SizeBytes = 0, Service = latency,
            Response = latency,
            StatusCodes = [],
        };
    }

    internal sealed class IdleSystem : IMeasuredSystem
    {
        public HostingKind Hosting => HostingKind.InProcess;

        public int ProcessId => Environment.ProcessId;

        public EventAwaiter Awaiter { get; } = new();

        public IReadOnlyList<KeyValuePair<string, LatencyHistogram>> ServerSplit => [];

        public void BeginMeasuring()
        {
        }

        public ValueTask DisposeAsync()
        {
            Awaiter.Dispose();
            return ValueTask.CompletedTask;
        }
    }

    internal class SteadyScenario(TimeSpan duration) : MeasuredScenario
    {
        /// <summary>
        /// Called with the key of each operation that begins. Null (the default) if nothing observes them.
        /// </summary>
        public Action<string>? Begun { get; init; }

        public override string FullName => "memory-steady";

        public override string Profile => "memory";

        public override string Tier => "WorkflowPerfSoak";

        public override int LoadOperations => 0;

        public override IReadOnlyList<LoadSimulation> Load => [Simulation.KeepConstant(2, duration)];

        public override IReadOnlyList<LoadSimulation> WarmUp => [];

        public override LoadOptions Options => new() { HealthLimits = GeneratorHealthLimits.None };

        public override string ContentHash => "";

        public override IReadOnlyList<string> Phases => [];

        public override IReadOnlyList<string> Notes => [];

        public override BatchOptions BatchOf(int operations, bool isWarmUp) => new()
        {
            Shape = BatchShape.Continuous, WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
        };

        public override async Task<IResponse> RunAsync(IScenarioContext context, OperationBatch batch)
        {
            var operation = batch.Begin();
            Begun?.Invoke(operation.Key);
            await batch.SendAsync(operation, async () =>
            {
                await Task.Delay(5, CancellationToken.None);
                return Response.Ok();
            });
            batch.Complete(operation, Stopwatch.GetTimestamp());
            return Response.Ok();
        }
    }
}

using System.Diagnostics;
using LoadTesting.Core.Load.Events;

namespace UnitTests.LoadTesting.Load.Timelines;

[Collection(TimedCollection.Name)]
public sealed class TimelineTests
{
    private static readonly TimeSpan s_during = TimeSpan.FromSeconds(2.2);

    // All loads run at the same time, so only sums are asserted.
    private static readonly Lazy<Dictionary<string, Task<ScenarioStats>>> s_runs = new(() => Loads.ToDictionary(
        load => load.Data,
        load => Runs.OneAsync(Load(load.Data), new LoadOptions { CompletionTimeout = TimeSpan.FromSeconds(0.4) })));

    public static TheoryData<string> Loads =>
        ["closed", "counted", "stopped", "open", "dropping", "hanging", "steep", "paused"];

    [Theory]
    [MemberData(nameof(Loads))]
    public async Task Sums_of_the_timeline_are_the_counts_of_the_scenario(string load)
    {
        var result = await s_runs.Value[load];

        Runs.Balances(result);
        var points = result.Timeline.Points;
        Assert.Equal(
            (result.Started, result.Ok.Count, result.Fail.Count, result.Dropped),
            (points.Sum(p => p.Started), points.Sum(p => p.Completed), points.Sum(p => p.Failed),
                points.Sum(p => p.Dropped)));
        Assert.Equal(result.Unfinished, points[^1].InFlight);
        Assert.Equal(
            Enumerable.Range(0, points.Count).Select(index => 1_000L * index), points.Select(point => point.TMs));
        Assert.All(points, point => Assert.Equal(point.Completed == 0, point.P99Ms is null));
        Assert.Equal(points.Max(point => point.MaxMs) ?? 0, result.Ok.Count == 0 ? 0 : result.Ok.Latency.MaxMs);
        Assert.Equal(result.Fail.Count, result.Errors.Sum(error => error.Count));
        Assert.Equal(result.Fail.Count, points.Sum(point => point.Errors?.Values.Sum() ?? 0));
        Assert.All(
            points, point =>
                Assert.Equal(point.Completed, point.Latencies is { } spread ? CoarseLatencies.Parse(spread).Sum() : 0));
        Assert.True(load is "counted" or "stopped" || points.Count >= 3, $"{load}: {points.Count} points");
    }

    [Fact]
    public Task A_point_holds_what_happened_in_its_second_and_not_in_another() => RealTime.HoldsAsync(async () =>
    {
        var origin = Stopwatch.GetTimestamp();
        var result = await Runs.OneAsync(Scenario.Create("late", async context =>
        {
            // Quick in the first second, slow and failing after it.
            var isFirst = Stopwatch.GetElapsedTime(origin) < TimeSpan.FromSeconds(0.9);
            await Task.Delay(isFirst ? 5 : 120, context.ScenarioCancellationToken);
            return isFirst ? Response.Ok() : Response.Fail("500", "broken");
        }).WithLoadSimulations(Simulation.KeepConstant(2, s_during)));

        var (first, last) = (result.Timeline.Points[0], result.Timeline.Points[^1]);
        Assert.True(first.Completed > 20, $"{first}");
        Assert.Equal((0, null), (last.Completed, last.P50Ms));
        Assert.True(last.Failed > 0, $"{last}");
        Assert.Equal(new Dictionary<string, long> { ["500 broken"] = last.Failed }, last.Errors);
        Assert.Null(first.Errors);
        Assert.Equal([new ErrorResult("500", "broken", result.Fail.Count)], result.Errors);
        Assert.NotNull(first.PoolDelayP99Ms);
    });

    [Fact]
    public void A_point_names_its_most_frequent_errors_and_counts_all()
    {
        var (slot, later) = (new TimelineSlot(), new TimelineSlot());
        slot.AddErrors(
            Enumerable.Range(1, 30).Select(number => KeyValuePair.Create($"error {number:00}", (long)number)));
        later.AddErrors([KeyValuePair.Create("error 03", 1_000L)]);

        TimelineSlot.MergeInto(slot, later);
        var named = slot.FrequentErrors()!;

        Assert.Equal(["error 03", "error 20", "error 19", "error 18", TimelinePoint.OtherErrors], named.Keys);
        Assert.Equal(465 + 1_000, named.Values.Sum());
        Assert.Null(new TimelineSlot().FrequentErrors());
    }

    /// <summary>Of ten operations one is refused, one unanswered, one without completion. Seven complete.</summary>
    [Theory]
    [InlineData("counted")]
    [InlineData("stopped")]
    [InlineData("open")]
    [InlineData("dropping")]
    public Task Sums_of_the_operations_timeline_are_those_of_the_ledger(string load) => RealTime.HoldsAsync(async () =>
    {
        using var awaiter = new EventAwaiter();
        var batch = new OperationBatch(awaiter, new BatchOptions
        {
            CompletionEvent = "Done",
            Timeout = TimeSpan.FromSeconds(0.3),
            Shape = BatchShape.Continuous,
            WaitForIdleAsync = (_, _) => Task.FromResult(Stopwatch.GetTimestamp()),
            IsRefusal = error => error is NotSupportedException,
        });
        var scenario = Scenario.Create(load, async context =>
        {
            var operation = batch.Begin(context.IntendedTimestamp);
            try
            {
                await batch.SendAsync(operation, async () =>
                {
                    await Task.Delay(5, context.ScenarioCancellationToken);
                    _ = (context.IterationNumber % 10) switch
                    {
                        1 => throw new NotSupportedException(),
                        2 => throw new TimeoutException(),
                        _ => 0,
                    };
                    return Response.Ok();
                });
                if (context.IterationNumber % 10 != 3)
                {
                    awaiter.Observe("Done", operation.Key);
                }

                return (await operation.Completion.Arrival).IsLost ? Response.Fail("lost") : Response.Ok();
            }
            finally
            {
                await batch.EndAsync(operation, CancellationToken.None);
            }
        }).WithLoadSimulations(load switch
        {
            "counted" or "stopped" => Simulation.IterationsForConstant(14, 700),
            _ => Simulation.Inject(200, TimeSpan.FromSeconds(1), s_during / 2),
        }).WithMaxInFlight(load == "dropping" ? 2 : 1_000).WithMaxFailCount(load == "stopped" ? 50 : 5_000);
        var measured = await Runs.OneAsync(scenario);
        await batch.SettleAsync(Cancel);

        var timeline = batch.Tally.TimelineOf(measured, measured.Dropped);

        var (tally, points) = (batch.Tally, timeline.Points);
        Assert.Equal(
            points.Select(point => point with { Errors = null }),
            batch.Tally.TimelineOf(measured, measured.Dropped).Points.Select(point => point with { Errors = null }));
        Assert.Equal(
            (measured.Dropped + tally.Count(SendOutcome.NotSent), tally.Count(SendOutcome.Refused),
                tally.Count(SendOutcome.Unknown)),
            (points.Sum(p => p.Dropped), points.Sum(p => p.Refused), points.Sum(p => p.Unknown)));
        Assert.Equal(
            (tally.Count(SendOutcome.Accepted), tally.Completed, tally.Count(SendOutcome.Accepted) - tally.Completed),
            (points.Sum(p => p.Started), points.Sum(p => p.Completed), points.Sum(p => p.Failed)));
        Assert.Equal(measured.Requested, points.Sum(p => p.Dropped + p.Refused + p.Unknown + p.Started));
        Assert.All(
            [points.Sum(p => p.Refused), points.Sum(p => p.Unknown), points.Sum(p => p.Failed)],
            count => Assert.InRange(count, 1, 100));
        Assert.Equal(load is "stopped" or "dropping", points.Sum(p => p.Dropped) > 0);
        Assert.Equal(0, points[^1].InFlight);
        Assert.Equal(load is "open" or "dropping", points[0].ScheduleLagP99Ms is not null);
    });

    /// <summary>As copies of an external engine do.</summary>
    [Fact]
    public void Copies_that_begin_at_the_same_moment_share_one_beginning()
    {
        for (var round = 0; round < 300; round++)
        {
            var log = new IterationLog(hasSchedule: false, new DrainGate());
            Parallel.For(0, 8, new ParallelOptions { MaxDegreeOfParallelism = 8 }, _ =>
            {
                var now = Stopwatch.GetTimestamp();
                log.BeginAt(now);
                log.Record(now, now + 1, now + 1, 0, Response.Ok());
            });
            log.Close(Stopwatch.GetTimestamp());

            var timeline = log.Complete(new ScheduleTally(Stopwatch.GetTimestamp()), 0, []).ToResult(null, null);

            Assert.Equal(1_000, timeline.IntervalMs);
            Assert.Equal(
                (8, 8), (timeline.Points.Sum(point => point.Started), timeline.Points.Sum(point => point.Completed)));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task An_external_engine_has_the_same_sums(bool isOpen) => RealTime.HoldsAsync(async () =>
    {
        var scenario = Scenario.Create("driven", async context =>
        {
            await Task.Delay(context.Random.Next(0, 9), context.ScenarioCancellationToken);
            return context.IterationNumber % 5 == 1 ? Response.Fail("503") : Response.Ok();
        }).WithLoadSimulations(isOpen
            ? Simulation.Inject(300, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1))
            : Simulation.IterationsForConstant(8, 600));

        var run = await new LoadRunner(engine: new EightLoops()).RunAsync([scenario], new LoadOptions(), Cancel);

        var (result, points) = (run.Scenarios[0], run.Scenarios[0].Timeline.Points);
        Runs.Balances(result);
        Assert.Equal(
            (result.Started, result.Ok.Count, result.Fail.Count, result.Dropped),
            (points.Sum(p => p.Started), points.Sum(p => p.Completed), points.Sum(p => p.Failed),
                points.Sum(p => p.Dropped)));
        Assert.True(result.Ok.Count > 200 && result.Fail.Count > 40);
    });

    [Fact]
    public Task A_source_supplies_what_the_instrument_cannot_know() => RealTime.HoldsAsync(async () =>
    {
        var source = new Source();
        var result =
            await Runs.OneAsync(Runs.Inject(50, s_during, _ => Runs.Ok), new LoadOptions { Timeline = source });

        Assert.All(result.Timeline.Points.Take(2), point => Assert.Equal(7, point.Backlog));
        var cpu = result.Timeline.Points[0].Cpu!;
        Assert.Equal(0.5 / Environment.ProcessorCount, cpu.Service!.Value, 0.02);
        Assert.Null(cpu.Database);
        var waits = result.Timeline.Points[0].Waits!;
        Assert.Equal(["wait 7", "wait 6", "wait 5", "wait 4", "wait 3"], waits.Keys);
        Assert.Equal(7, waits["wait 7"], 0.3);
    });

    [Fact]
    public async Task Failed_source_leaves_out_its_figures_and_is_reported()
    {
        var result = await new LoadRunner().RunAsync(
            [Runs.Inject(50, TimeSpan.FromSeconds(0.2), _ => Runs.Ok)], new LoadOptions { Timeline = new Broken() },
            Cancel);

        Assert.Null(result.Scenarios[0].Timeline.Points[0].Cpu);
        Assert.Contains(result.Notes, note => note.Contains("no such process", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(600, 1_000)]
    [InlineData(601, 2_000)]
    [InlineData(86_400, 256_000)]
    public void A_long_run_has_at_most_600_points_and_loses_nothing(int seconds, long intervalMs)
    {
        var timeline = new Timeline { Origin = 1 };
        for (var second = 0; second < seconds; second++)
        {
            var slot = timeline.At(1 + (second * Stopwatch.Frequency));
            slot.Started++;
            slot.Latency.Record(TimeSpan.FromMilliseconds(second));
        }

        var result = timeline.ToResult(null, null);

        Assert.Equal(intervalMs, result.IntervalMs);
        Assert.InRange(result.Points.Count, 300, TimelineResult.MostPoints);
        Assert.Equal((seconds, seconds),
            (result.Points.Sum(point => point.Started), result.Points.Sum(point => point.Completed)));
        Assert.Equal(Enumerable.Range(0, result.Points.Count).Select(i => i * intervalMs),
            result.Points.Select(point => point.TMs));
        Assert.Equal(seconds - 1, result.Points[^1].MaxMs);
        Assert.Equal((intervalMs / 1000) - 1, result.Points[0].MaxMs);
    }

    [Fact]
    public async Task Missed_rule_stops_the_run_and_keeps_its_results()
    {
        var scenario = Scenario.Create("failing", async context =>
            {
                await Task.Delay(5, context.ScenarioCancellationToken);
                return context.InvocationNumber % 2 == 0 ? Response.Fail("500") : Response.Ok();
            }).WithLoadSimulations(Simulation.KeepConstant(2, TimeSpan.FromMinutes(10)))
            .WithThresholds(Threshold.AtMost("failedShare", 0.1).AbortWhen(missedSeconds: 2));

        var result = await new LoadRunner().RunAsync([scenario], new LoadOptions(), Cancel);

        Assert.InRange(result.Duration.TotalSeconds, 2, 60);
        Assert.Contains(
            "2 seconds missed the threshold failedShare <= 0.1", result.StopReason, StringComparison.Ordinal);
        Assert.Equal(ThresholdOutcome.Failed, result.Scenarios[0].Thresholds.Single().Outcome);
    }

    [Fact]
    public async Task A_rule_is_not_looked_at_before_its_time()
    {
        var scenario = Runs.Inject(50, s_during / 1.5, _ => Task.FromResult<IResponse>(Response.Fail("500")))
            .WithThresholds(Threshold.AtMost("failed", 0).AbortWhen(1, startCheckAfter: TimeSpan.FromSeconds(20)));

        Assert.Null((await new LoadRunner().RunAsync([scenario], new LoadOptions(), Cancel)).StopReason);
    }

    [Fact]
    public void A_rule_that_no_second_can_answer_is_refused() =>
        Assert.Contains(
            "only iterations that ended are known",
            Assert.Throws<InvalidOperationException>(() => Threshold.Create("any", 1, _ => true).AbortWhen(1)).Message,
            StringComparison.Ordinal);

    private static ScenarioProps Load(string name)
    {
        var random = new Random(1);
        async Task<IResponse> Body(IScenarioContext context)
        {
            await Task.Delay(context.Random.Next(0, 15), context.ScenarioCancellationToken);
            return context.IterationNumber % 7 == 3 ? Response.Fail("503", "busy") : Response.Ok();
        }

        return name switch
        {
            "closed" => Of(Simulation.KeepConstant(6, s_during)),
            "counted" => Of(Simulation.IterationsForConstant(5, 400)),
            "stopped" => Of(Simulation.IterationsForConstant(5, 5_000)).WithMaxFailCount(40),
            "open" => Of(Simulation.Inject(300, TimeSpan.FromSeconds(1), s_during)),
            "dropping" => Of(Simulation.Inject(600, TimeSpan.FromSeconds(1), s_during)).WithMaxInFlight(3),
            "hanging" => Scenario.Create("hanging", async context =>
            {
                if (context.IterationNumber % 90 == 50)
                {
                    await Task.Delay(Timeout.InfiniteTimeSpan, context.ScenarioCancellationToken);
                }

                return Response.Ok();
            }).WithLoadSimulations(Simulation.Inject(200, TimeSpan.FromSeconds(1), s_during)),
            "steep" => Of(Simulation.RampingInject(2_000, TimeSpan.FromSeconds(1), s_during)),
            _ => Of(
                Simulation.KeepConstant(3, s_during / 4), Simulation.Pause(s_during / 2),
                Simulation.RampingConstant(6, s_during / 4)),
        };

        ScenarioProps Of(params LoadSimulation[] load) => Scenario.Create(name, Body).WithLoadSimulations(load);
    }

    /// <summary>
    /// A service that uses half a core, and in which seven pieces of work wait; one session is in the first wait, seven
    /// in the seventh.
    /// </summary>
    private sealed class Source : ITimelineSource
    {
        private readonly long _start = Stopwatch.GetTimestamp();

        public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) => new(new TimelineReading
        {
            ServiceCpuSeconds = Stopwatch.GetElapsedTime(_start).TotalSeconds / 2,
            Backlog = 7,
            WaitSeconds = Enumerable.Range(1, 7).ToDictionary(
                sessions => $"wait {sessions}", sessions => sessions * Stopwatch.GetElapsedTime(_start).TotalSeconds),
        });
    }

    /// <summary>Runs 300 iterations on eight copies, or as many as there are.</summary>
    private sealed class EightLoops : ILoadEngine
    {
        private int _begun;

        public string Name => "eight loops";

        public async Task<IReadOnlyList<string>> DriveAsync(
            IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken)
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(
                async () =>
                {
                    while ((scenarios[0].Operations is not null || Interlocked.Increment(ref _begun) <= 300)
                        && await scenarios[0].RunIterationAsync() is not null)
                    {
                    }
                },
                cancellationToken)));
            return [];
        }
    }

    private sealed class Broken : ITimelineSource
    {
        public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
            throw new InvalidOperationException("no such process");
    }
}

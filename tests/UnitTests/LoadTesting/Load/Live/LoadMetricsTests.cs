using System.Diagnostics;
using System.Diagnostics.Metrics;
using LoadTesting.Core.Reporting.Live;

namespace UnitTests.LoadTesting.Load.Live;

/// <summary>The metrics of a running load agree with its result.</summary>
[Collection(TimedCollection.Name)]
public sealed class LoadMetricsTests
{
    [Fact]
    public async Task Final_counts_are_those_of_the_result()
    {
        using var metrics = new LoadMetrics();
        var options = new LoadOptions { Metrics = metrics };
        var open = Runs.Inject(40, TimeSpan.FromSeconds(0.2), context => Task.FromResult<IResponse>(
            (context.IterationNumber % 4) switch
            {
                0 => Response.Fail("503", "overloaded"),
                1 => Response.Fail(),
                _ => Response.Ok(),
            }));
        var closed = Runs.Iterations(2, 50, _ => Runs.Ok);

        await new LoadRunner().RunAsync([open, closed], options, Cancel);
        Assert.Equal("40 40 20 20 10 0", CountsOf(metrics));
        var second = await Runs.OneAsync(open, options with { Refusals = _ => 3 });

        Assert.Equal("80 80 40 40 13 0", CountsOf(metrics));
        Runs.Balances(second);
        Assert.Equal(20.0, Value(metrics, "load_errors_total", "inject", "503"));
        Assert.Equal(20.0, Value(metrics, "load_errors_total", "inject", "_OTHER"));
        Assert.Equal(50.0, Value(metrics, "load_iterations_completed_total", "iterations"));
        Assert.Null(Value(metrics, "load_iterations_intended_total", "iterations"));
        Assert.All(LoadMetrics.All.Where(metric => !metric.IsCounter), gauge => Assert.Empty(metrics.Read(gauge)));
    }

    [Fact]
    public async Task Figures_of_a_running_load_are_those_of_its_timeline()
    {
        (long Ok, double? Refused) counts = default;
        await RealTime.HoldsAsync(async () =>
        {
            using var metrics = new LoadMetrics();
            using var listener = new MeterListener();
            var instruments = new List<string>();
            listener.InstrumentPublished = (instrument, _) =>
            {
                if (instrument.Meter.Name == LoadMetrics.MeterName)
                {
                    instruments.Add(instrument.Name);
                }
            };
            listener.Start();
            var running = Runs.OneAsync(
                Scenario.Create("live", async context =>
                {
                    await Task.Delay(20, context.ScenarioCancellationToken);
                    return context.IterationNumber % 10 == 0 ? Response.Fail("429") : Response.Ok();
                }).WithLoadSimulations(Simulation.Inject(50, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(3.2))),
                new LoadOptions { Metrics = metrics, Timeline = new MadeUpTimeline() });
            var (seen, completed, inFlight, latencies) =
                (new HashSet<string>(), new List<double>(), 0.0, new HashSet<double>());
            while (!running.IsCompleted)
            {
                foreach (var metric in LoadMetrics.All)
                {
                    foreach (var value in metrics.Read(metric))
                    {
                        Assert.Equal(metric.Labels, value.Tags.ToArray().Select(tag => tag.Key));
                        seen.Add(metric.Metric);
                    }
                }

                completed.Add(Value(metrics, "load_iterations_completed_total", "live") ?? 0);
                inFlight = Math.Max(inFlight, Value(metrics, "load_iterations_in_flight", "live") ?? 0);
                latencies.Add(Value(metrics, "load_latency_seconds", "live", "0.99") ?? 0);
                await Task.Delay(20, Cancel);
            }

            var result = await running;
            Assert.Equal(LoadMetrics.All.Select(metric => metric.Metric).Order(), seen.Order());
            Assert.Equal(LoadMetrics.All.Select(metric => metric.Instrument).Order(), instruments.Distinct().Order());
            Assert.Equal(completed.Order(), completed);
            Assert.InRange(completed.Distinct().Count(), 3, 6);
            Assert.InRange(inFlight, 1, 50);
            Assert.NotEmpty(latencies.Intersect(result.Timeline.Points.Select(point => (point.P99Ms ?? -1) / 1000)));
            counts = (result.Ok.Count, Value(metrics, "load_iterations_refused_total", "live"));
        });

        Assert.Equal((144, 16.0), counts);
    }

    [Fact]
    public Task Progress_has_rates_counts_and_time_left() => RealTime.HoldsAsync(async () =>
    {
        using var metrics = new LoadMetrics();
        var progress = new RunProgress(metrics);
        var load = Runs.OneAsync(
            Runs.Inject(50, TimeSpan.FromSeconds(2.6), async context =>
            {
                await Task.Delay(5, context.ScenarioCancellationToken);
                return context.IterationNumber % 5 == 0 ? Response.Fail("500") : Response.Ok();
            }),
            new LoadOptions { Metrics = metrics });
        var seen = new List<ScenarioProgress>();
        while (!load.IsCompleted)
        {
            seen.AddRange(progress.Read().Scenarios);
            await Task.Delay(20, Cancel);
        }

        var last = seen.Last(scenario => scenario.P50Ms is not null);
        Assert.Equal(2.6, last.PlannedSeconds);
        Assert.InRange(last.ElapsedSeconds, 0.9, 2.7);
        Assert.InRange(last.IntendedPerSecond!.Value, 20, 100);
        Assert.InRange(last.StartedPerSecond, 20, 100);
        Assert.InRange(last.Completed / (double)(last.Completed + last.Failed), 0.7, 0.9);
        Assert.InRange(last.P50Ms!.Value, 4, 500);
        Assert.Empty(progress.Read().Scenarios);
    });

    [Fact]
    public async Task Load_with_a_published_name_is_refused_until_that_ends()
    {
        using var metrics = new LoadMetrics();
        var options = new LoadOptions { Metrics = metrics };
        var (entered, release) = (new TaskCompletionSource(), new TaskCompletionSource());
        var first = Runs.OneAsync(
            Runs.Iterations(1, 1, async _ =>
            {
                entered.TrySetResult();
                await release.Task;
                return Response.Ok();
            }), options);
        await entered.Task.WaitAsync(Cancel);

        var refused = await Assert.ThrowsAsync<InvalidOperationException>(
            () => Runs.OneAsync(Runs.Iterations(1, 1, _ => Runs.Ok), options));
        release.SetResult();
        await first;
        await Runs.OneAsync(Runs.Iterations(1, 1, _ => Runs.Ok), options);

        Assert.Contains("'iterations' is published by another load", refused.Message, StringComparison.Ordinal);
        Assert.Equal(2.0, Value(metrics, "load_iterations_completed_total", "iterations"));
    }

    [Fact]
    public async Task Arrivals_that_a_stop_came_before_are_not_shown_as_dropped()
    {
        using var metrics = new LoadMetrics();

        var result = await Runs.OneAsync(Runs.Inject(1_000, TimeSpan.FromDays(9_000), context =>
        {
            if (context.IterationNumber == 20)
            {
                context.StopCurrentTest("enough");
            }

            return Runs.Ok;
        }), new LoadOptions { Metrics = metrics });

        var (intended, dropped) = (
            Value(metrics, "load_iterations_intended_total", "inject"),
            Value(metrics, "load_iterations_dropped_total", "inject"));
        Assert.Equal(intended, result.Started + dropped);
        Assert.InRange(dropped!.Value, 1, 10_000);
    }

    [Fact]
    public void Errors_of_many_codes_are_few_series_and_none_is_lost()
    {
        var sum = LoadCounts.Sum(Enumerable.Range(0, 500).Select(code => KeyValuePair.Create($"E{code}", 2L)));

        Assert.Equal(
            (LoadCounts.MostErrors + 1, 1_000L, 800L), (sum.Count, sum.Values.Sum(), sum[LoadCounts.OtherError]));
    }

    [Theory]
    [InlineData("load.iterations.started", "load_iterations_started_total")]
    [InlineData("load.iterations.in_flight", "load_iterations_in_flight")]
    [InlineData("load.latency", "load_latency_seconds")]
    [InlineData("load.cpu.utilization", "load_cpu_utilization_ratio")]
    public void Names_follow_OpenTelemetry_and_become_those_of_Prometheus(string instrument, string metric) =>
        Assert.Equal(metric, LoadMetrics.All.Single(known => known.Instrument == instrument).Metric);

    /// <summary>In this order.</summary>
    private static string CountsOf(LoadMetrics metrics) => string.Join(
        ' ', new[] { "intended", "started", "completed", "failed", "refused", "dropped" }
            .Select(count => Value(metrics, $"load_iterations_{count}_total", "inject")));

    private static double? Value(LoadMetrics metrics, string metric, params string[] labels)
    {
        foreach (var value in metrics.Read(LoadMetrics.All.Single(known => known.Metric == metric)))
        {
            if (value.Tags.ToArray().Select(tag => (string)tag.Value!).SequenceEqual(labels))
            {
                return value.Value;
            }
        }

        return null;
    }

    /// <summary>Everything that a source can know, half of it used.</summary>
    private sealed class MadeUpTimeline : ITimelineSource
    {
        public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken)
        {
            var used = Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency * Environment.ProcessorCount / 2;
            return ValueTask.FromResult(new TimelineReading
            {
                GeneratorCpuSeconds = used, ServiceCpuSeconds = used, DatabaseCpuSeconds = used,
                MachineCpuSeconds = used, Backlog = 5,
                WaitSeconds = new Dictionary<string, double> { ["IO:WALSync"] = used },
            });
        }
    }
}

using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Health;

public sealed class GeneratorHealthTests
{
    private static readonly GeneratorSample s_calm = new(0.2, 0.001, 3, 2, 1, 500, 2, TimeSpan.FromSeconds(5));

    [Fact]
    public void A_calm_generator_on_schedule_is_healthy()
    {
        var health = GeneratorHealth.Judge(s_calm, [Open(lagMs: 0.1, responseMs: 20)], new GeneratorHealthLimits());

        Assert.Equal(GeneratorState.Healthy, health.Figures.Health);
        Assert.Empty(health.Evidence);
        Assert.Equal(1, health.Figures.AchievedRatio);
        Assert.Equal(0.1, health.Figures.ScheduleLagP99Ms!.Value, 0.01);
    }

    public static TheoryData<string, GeneratorSample, GeneratorHealthLimits> Processes => new()
    {
        { "cpu", s_calm with { CpuShare = 0.95 }, new() { MaximumCpuShare = null } },
        { "gcPause", s_calm with { GcPauseShare = 0.06 }, new() { MaximumGcPauseShare = null } },
        { "consumer", s_calm with { ConsumerShares = [0.2, 0.97, 0.3] }, new() { MaximumConsumerShare = null } },
        { "jitter", s_calm with { JitterMaxMs = 101 }, new() { MaximumJitterMs = null } },
    };

    [Theory]
    [MemberData(nameof(Processes))]
    public void Each_signal_alone_binds_the_generator(
        string signal, GeneratorSample sample, GeneratorHealthLimits without)
    {
        var health = GeneratorHealth.Judge(sample, [], new GeneratorHealthLimits());

        Assert.Equal(GeneratorState.Bound, health.Figures.Health);
        Assert.Equal(signal, Assert.Single(health.Evidence).Signal);
        Assert.Equal(GeneratorState.Healthy, GeneratorHealth.Judge(sample, [], without).Figures.Health);
    }

    [Fact]
    public void One_collection_in_a_short_run_is_not_evidence()
    {
        var brief = s_calm with { CpuShare = 1, GcPauseShare = 0.5, Duration = TimeSpan.FromMilliseconds(20) };

        Assert.Equal(GeneratorState.Healthy, GeneratorHealth.Judge(brief, [], new GeneratorHealthLimits()).Figures.Health);
        Assert.Equal(
            GeneratorState.Bound,
            GeneratorHealth.Judge(brief, [], new GeneratorHealthLimits { ShareFloor = TimeSpan.Zero }).Figures.Health);
    }

    [Theory]
    [InlineData(100, GeneratorState.Healthy)]
    [InlineData(99, GeneratorState.Bound)]
    public void One_second_in_a_hundred_may_keep_the_consumer_busy(int seconds, GeneratorState verdict)
    {
        var sample = s_calm with { ConsumerShares = [.. Enumerable.Repeat(0.1, seconds - 1), 1] };

        Assert.Equal(verdict, GeneratorHealth.Judge(sample, [], new GeneratorHealthLimits()).Figures.Health);
    }

    [Theory]
    [InlineData(2400, 0.146, false)]
    [InlineData(2400, 3, true)]
    [InlineData(100, 0.146, true)]
    public void Stalls_count_from_a_thousandth_of_the_run(int seconds, double stalledSeconds, bool counts)
    {
        var sample =
            s_calm with { JitterMaxMs = 146, Stalled = TimeSpan.FromSeconds(stalledSeconds),
                Duration = TimeSpan.FromSeconds(seconds) };

        Assert.Equal(counts ? GeneratorState.Bound : GeneratorState.Healthy,
            GeneratorHealth.Judge(sample, [], new GeneratorHealthLimits()).Figures.Health);
    }

    [Fact]
    public void Lag_that_dominates_the_response_time_is_evidence()
    {
        var late = Open(lagMs: 15, responseMs: 20);

        Assert.Equal(["scheduleLagP99Share"], Signals(late, new GeneratorHealthLimits()));
        Assert.Empty(Signals(late, new GeneratorHealthLimits { MaximumLagShareOfP99 = null }));
        Assert.Empty(Signals(late, new GeneratorHealthLimits { LagFloorMs = 16 }));
        Assert.Empty(Signals(late, GeneratorHealthLimits.None));
    }

    /// <summary>A closed load over HTTP counts waits for the pool as service time. Only its delay shows them.</summary>
    [Theory]
    [InlineData(LoadModel.Closed)]
    [InlineData(LoadModel.Open)]
    public void Waits_for_the_pool_bind_a_generator_in_its_own_process(LoadModel model)
    {
        var result = Open(lagMs: 0.1, responseMs: 20) with { Model = model };
        var starved = s_calm with { PoolDelay = Of(8, 500) };

        var health = GeneratorHealth.Judge(starved, [result], new GeneratorHealthLimits());

        Assert.Equal((GeneratorState.Bound, PoolState.StarvedByGenerator), (health.Figures.Health, health.Figures.Pool));
        Assert.Equal("poolDelayP99Share", Assert.Single(health.Evidence).Signal);
        Assert.Equal(8, health.Figures.PoolDelayP99Ms!.Value, 0.1);
        Assert.Equal(
            (GeneratorState.Healthy, PoolState.Free),
            Of(GeneratorHealth.Judge(starved, [result], new GeneratorHealthLimits { MaximumPoolDelayShare = null })));
        Assert.Equal(
            (GeneratorState.Healthy, PoolState.Free),
            Of(GeneratorHealth.Judge(s_calm with { PoolDelay = Of(0.4, 500) }, [result], new GeneratorHealthLimits())));
    }

    [Fact]
    public void System_that_starves_the_pool_explains_late_iterations()
    {
        var (late, starved) =
            (Open(lagMs: 15, responseMs: 20) with { StartedLate = 5 }, s_calm with { PoolDelay = Of(15, 500) });

        Assert.Equal(
            (GeneratorState.Healthy, PoolState.StarvedBySystem),
            Of(GeneratorHealth.Judge(starved, [late], GeneratorHealthLimits.ForSystemInSameProcess)));
        Assert.Equal(
            (GeneratorState.Bound, PoolState.StarvedByGenerator),
            Of(GeneratorHealth.Judge(starved, [late], new GeneratorHealthLimits())));
    }

    [Fact]
    public void Lag_that_no_pool_wait_explains_binds_the_generator()
    {
        var late = Open(lagMs: 15, responseMs: 20);

        var health = GeneratorHealth.Judge(
            s_calm with { PoolDelay = Of(2, 500) }, [late], GeneratorHealthLimits.ForSystemInSameProcess);

        Assert.Equal("scheduleLagP99Share", Assert.Single(health.Evidence).Signal);
        Assert.Contains(
            "2.0 ms of it because the system held the threads", health.Evidence[0].Text, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(99, 3)]
    [InlineData(180, 3)]
    [InlineData(999, 20)]
    public void Few_late_starts_are_evidence_only_if_every_tail_counts(int iterations, int late)
    {
        Assert.Empty(Signals(Open(0.1, 20, iterations, late), new GeneratorHealthLimits { MinimumSamplesInTail = 10 }));
        Assert.Equal(["scheduleLagP99Share"], Signals(Open(0.1, 20, iterations, late), new GeneratorHealthLimits()));
    }

    [Theory]
    [InlineData(100, 20, 90)]
    [InlineData(199, 30, 90)]
    [InlineData(200, 20, 95)]
    [InlineData(1_000, 20, 99)]
    public void Highest_percentile_with_enough_samples_is_judged(int iterations, int late, int percentile) =>
        Assert.Equal([$"scheduleLagP{percentile}Share"],
            Signals(Open(0.1, 20, iterations, late), new GeneratorHealthLimits { MinimumSamplesInTail = 10 }));

    [Fact]
    public void Starts_after_the_planned_time_lower_the_achieved_ratio()
    {
        var result = Open(lagMs: 0.1, responseMs: 20) with { StartedLate = 2 };

        Assert.Equal(["achievedRatio"], Signals(result, new GeneratorHealthLimits()));
        Assert.Empty(Signals(result, new GeneratorHealthLimits { MinimumAchievedRatio = null }));
        Assert.Equal(0.98, GeneratorHealth.Judge(s_calm, [result], new GeneratorHealthLimits()).Figures.AchievedRatio);
    }

    [Fact]
    public void Dropped_arrivals_are_evidence_unless_the_run_was_stopped()
    {
        var dropped = Open(lagMs: 0.1, responseMs: 20) with { Requested = 105, Dropped = 5, DroppedInFlightLimit = 5 };

        Assert.Equal(["dropped"], Signals(dropped, new GeneratorHealthLimits()));
        Assert.Empty(
            Signals(dropped with { DroppedInFlightLimit = 0, DroppedAfterStop = 5 }, new GeneratorHealthLimits()));
    }

    [Fact]
    public void Closed_scenario_has_no_schedule_lag()
    {
        var health = GeneratorHealth.Judge(
            s_calm, [Open(lagMs: 15, responseMs: 20) with { Model = LoadModel.Closed }], new GeneratorHealthLimits());

        Assert.Equal(GeneratorState.Healthy, health.Figures.Health);
        Assert.Null(health.Figures.AchievedRatio);
    }

    [Fact]
    public void Every_evidence_names_what_was_measured_and_the_limit()
    {
        var evidence = GeneratorHealth.Judge(
            s_calm with { JitterMaxMs = 250 }, [Open(15, 20)], new GeneratorHealthLimits()).Evidence;

        Assert.All(evidence, item => Assert.Contains("at most", item.Text, StringComparison.Ordinal));
        Assert.Contains(
            evidence, item => item.Text.Contains("250 ms late", StringComparison.Ordinal) && item.Limit == 100);
        Assert.Contains(
            evidence, item => item.Text.Contains("'open'", StringComparison.Ordinal) && item.Measured > item.Limit);
    }

    [Fact]
    public async Task The_sampler_sees_this_process()
    {
        var samples = new LoadSamples(Stopwatch.GetTimestamp());
        var sampler = GeneratorSampler.Start(samples);
        await Eventually.HoldsAsync(() => samples.PoolDelay().Count >= 2, "two samples of the thread pool");
        var sample = await sampler.StopAsync();

        Assert.Equal(Environment.ProcessorCount, sample.Cores);
        Assert.InRange(sample.Ticks, 2, 100_000);
        Assert.InRange(sample.CpuShare, 0, 1.1);
        Assert.InRange(sample.PoolDelay.Count, 2, 100_000);
    }

    private static (GeneratorState, PoolState?) Of(GeneratorHealth health) => (health.Figures.Health, health.Figures.Pool);

    private static IEnumerable<string> Signals(ScenarioStats result, GeneratorHealthLimits limits) =>
        GeneratorHealth.Judge(s_calm, [result], limits).Evidence.Select(evidence => evidence.Signal);

    /// <summary>Some of the iterations start 15 ms late.</summary>
    private static ScenarioStats Open(double lagMs, double responseMs, int iterations = 100, int late = 0)
    {
        var (lag, response) = (Of(lagMs, iterations - late), Of(responseMs, iterations));
        lag.Merge(Of(15, late));
        return new ScenarioStats
        {
            Name = "open",
            Model = LoadModel.Open,
            Simulations = [],
            PlannedDuration = TimeSpan.FromSeconds(1),
            Duration = TimeSpan.FromSeconds(1),
            Requested = iterations,
            Started = iterations,
            Dropped = 0,
            DroppedInFlightLimit = 0,
            DroppedAfterStop = 0,
            Unfinished = 0,
            StartedLate = 0,
            Ok = Side(iterations, response),
            Fail = Side(0, new LatencyHistogram()),
            ScheduleLag = lag,
            Steps = [],
        };
    }

    private static MeasurementStats Side(long count, LatencyHistogram response) => new()
    {
        Model = LoadModel.Open,
        Count = count,
        Percent = 0,
        RatePerSecond = count,
        SizeBytes = 0,
        Service = response,
        Response = response,
        StatusCodes = [],
    };

    private static LatencyHistogram Of(double ms, int count)
    {
        var histogram = new LatencyHistogram();
        for (var i = 0; i < count; i++)
        {
            histogram.Record(TimeSpan.FromMilliseconds(ms));
        }

        return histogram;
    }
}

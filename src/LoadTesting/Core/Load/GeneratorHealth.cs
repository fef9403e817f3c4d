using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Load;

/// <summary>
/// Whether the generator could follow, and what says so. A run that is <see cref="GeneratorVerdict.Bound"/> never passes.
/// </summary>
public sealed record GeneratorHealth
{
    public required GeneratorVerdict Verdict { get; init; }

    /// <summary>The limits that were exceeded; empty when healthy.</summary>
    public required IReadOnlyList<HealthEvidence> Evidence { get; init; }

    /// <summary>The worst schedule-lag p99 of the open scenarios, in milliseconds; null without one.</summary>
    public required double? ScheduleLagP99Ms { get; init; }

    /// <summary>The worst schedule lag of all, in milliseconds; null without an open scenario.</summary>
    public required double? ScheduleLagMaxMs { get; init; }

    /// <summary>The worst schedule-lag p99 as a share of the same scenario's response-time p99.</summary>
    public required double? LagShareOfP99 { get; init; }

    /// <summary>99th percentile of how long a work item waited for a thread of the pool, in milliseconds; null where nothing
    /// looked.</summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>Whether that was long against the operations, and whose it is.</summary>
    public PoolState Pool { get; init; }

    /// <summary>
    /// The worst ratio of iterations that started within the planned time to those asked for and not dropped; null without an open
    /// scenario.
    /// </summary>
    public required double? AchievedRatio { get; init; }

    /// <summary>Iterations that never started, over all scenarios, without those asked for after the run was stopped.</summary>
    public required long Dropped { get; init; }

    public required GeneratorSample Process { get; init; }

    internal static GeneratorHealth Judge(GeneratorSample process, IReadOnlyList<ScenarioStats> scenarios, GeneratorHealthLimits limits)
    {
        var schedules = scenarios.Select(ScheduleHealth.Of).OfType<ScheduleHealth>().ToArray();
        var pool = PoolHealth.Of(process, scenarios, limits);
        var own = limits.SharesProcess ? process.PoolDelay : new LatencyHistogram();
        HealthEvidence[] evidence =
        [
            .. schedules.SelectMany(schedule => schedule.Evidence(limits, own)),
            .. ProcessEvidence.Of(process, limits),
            .. pool is { State: PoolState.StarvedByGenerator } ? [pool.Evidence] : Array.Empty<HealthEvidence>(),
        ];
        return new GeneratorHealth
        {
            Verdict = evidence.Length == 0 ? GeneratorVerdict.Healthy : GeneratorVerdict.Bound,
            Evidence = evidence,
            ScheduleLagP99Ms = Worst(schedules, schedule => schedule.LagP99Ms),
            ScheduleLagMaxMs = Worst(schedules, schedule => schedule.LagMaxMs),
            LagShareOfP99 = Worst(schedules, schedule => schedule.LagShareOfP99),
            AchievedRatio = schedules.Length == 0 ? null : schedules.Min(schedule => schedule.AchievedRatio),
            Dropped = scenarios.Sum(scenario => scenario.Dropped - scenario.DroppedAfterStop),
            PoolDelayP99Ms = process.PoolDelay.Count == 0 ? null : process.PoolDelay.PercentileMs(99),
            Pool = pool?.State ?? PoolState.Free,
            Process = process,
        };
    }

    private static double? Worst(ScheduleHealth[] schedules, Func<ScheduleHealth, double> value) =>
        schedules.Select(value).Where(double.IsFinite).Select(finite => (double?)finite).Max();
}

/// <summary>Whether the generator could follow.</summary>
public enum GeneratorVerdict
{
    /// <summary>No limit was exceeded.</summary>
    Healthy,

    /// <summary>The generator, not the system under test, may be what limited the run: the numbers are inconclusive.</summary>
    Bound,
}

/// <summary>How long work waits for a thread of the generator's thread pool.</summary>
public enum PoolState
{
    /// <summary>Not long against the operations.</summary>
    Free,

    /// <summary>The system under test, in the generator's own process, starves the pool: what an operation waits there is the
    /// system's.</summary>
    StarvedBySystem,

    /// <summary>The generator's process does nothing else: what an operation waits there is the generator's.</summary>
    StarvedByGenerator,
}

/// <summary>One limit that was exceeded.</summary>
/// <param name="Signal">Which: scheduleLagP99Share (or P95, P90), achievedRatio, dropped, cpu, gcPause, poolDelayP99Share (or P95, P90),
/// consumer or jitter.</param>
/// <param name="Measured">The value.</param>
/// <param name="Limit">What it had to stay within.</param>
/// <param name="Text">The finding, with what to do about it.</param>
public sealed record HealthEvidence(string Signal, double Measured, double Limit, string Text);

/// <summary>From where on the generator, not the system under test, counts as what limited the run. Null switches one limit off.</summary>
public sealed record GeneratorHealthLimits
{
    /// <summary>All limits off: nothing is judged.</summary>
    public static GeneratorHealthLimits None { get; } = new()
    {
        MaximumLagShareOfP99 = null,
        MaximumPoolDelayShare = null,
        MinimumAchievedRatio = null,
        MaximumDroppedShare = null,
        MaximumCpuShare = null,
        MaximumGcPauseShare = null,
        MaximumConsumerShare = null,
        MaximumJitterMs = null,
    };

    /// <summary>
    /// For a system under test that lives in the generator's own process: processor time, garbage collection and the thread pool are then
    /// shared, and say nothing about the generator. How late it was still does, without what waiting for a thread of the pool explains:
    /// that is the system's.
    /// </summary>
    public static GeneratorHealthLimits ForSystemInSameProcess { get; } = new()
    {
        SharesProcess = true,
        MaximumCpuShare = null,
        MaximumGcPauseShare = null,
    };

    /// <summary>Whether the system under test lives in the generator's process, so that a starved thread pool is its doing.</summary>
    public bool SharesProcess { get; init; }

    /// <summary>
    /// Schedule-lag p99 as a share of the response-time p99, 0 to 1. Default 0.25. See <see cref="LagFloorMs"/> and
    /// <see cref="MinimumSamplesInTail"/>.
    /// </summary>
    public double? MaximumLagShareOfP99 { get; init; } = 0.25;

    /// <summary>
    /// Iterations that have to lie beyond the tail that is judged: where fewer lie beyond p99 it is p95, else p90, else none. Default 0:
    /// always p99. With 10, a stall or two of the machine do not condemn a load of a few hundred iterations.
    /// </summary>
    public int MinimumSamplesInTail { get; init; }

    /// <summary>
    /// 99th percentile of the wait for a thread of the pool as a share of the scenario's latency p99, 0 to 1: every continuation of an
    /// iteration waits so long, and a closed load takes it for service time. Default 0.25. See <see cref="LagFloorMs"/> and
    /// <see cref="MinimumSamplesInTail"/>.
    /// </summary>
    public double? MaximumPoolDelayShare { get; init; } = 0.25;

    /// <summary>
    /// Schedule lag and waits for the pool below this are never held against the generator, in milliseconds: a thread pool cannot do
    /// better. Default 1.
    /// </summary>
    public double LagFloorMs { get; init; } = 1;

    /// <summary>Started within the planned time / asked for and not dropped, 0 to 1. Default 0.99.</summary>
    public double? MinimumAchievedRatio { get; init; } = 0.99;

    /// <summary>
    /// Share of arrivals that could not start, 0 to 1. Default 0.01. Those asked for after the run was stopped do not count.
    /// </summary>
    public double? MaximumDroppedShare { get; init; } = 0.01;

    /// <summary>
    /// Runs shorter than this are not judged by their shares of processor time and pauses: one collection is most of a 20 ms run and says
    /// nothing about a generator. Default 1 s.
    /// </summary>
    public TimeSpan ShareFloor { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Processor time of this process / (real time x cores), 0 to 1. Default 0.9.</summary>
    public double? MaximumCpuShare { get; init; } = 0.9;

    /// <summary>Garbage collection pauses / real time, 0 to 1. Default 0.05.</summary>
    public double? MaximumGcPauseShare { get; init; } = 0.05;

    /// <summary>
    /// The part of a second in which the consumer of events may work on what has come, 0 to 1. Default 0.9: one that does nothing else
    /// reads late, and a late completion looks like a slow system. One second in a hundred may have more.
    /// </summary>
    public double? MaximumConsumerShare { get; init; } = 0.9;

    /// <summary>
    /// The most a 10 ms ticker on a thread of its own may be late, in milliseconds. Default 100. See <see cref="StallFloor"/>.
    /// </summary>
    public double? MaximumJitterMs { get; init; } = 100;

    /// <summary>
    /// Stalls of the ticker that take no more than this share of the run, 0 to 1, are not held against it: one pause of 150 ms spoils a run
    /// of a second, and not the percentiles of one of an hour. Default 0.001, a tenth of what lies beyond p99.
    /// </summary>
    public double StallFloor { get; init; } = 0.001;
}

/// <summary>How well the schedule of one open scenario was kept.</summary>
internal sealed record ScheduleHealth(
    string Scenario, LatencyHistogram Lag, LatencyHistogram Response, double AchievedRatio, double DroppedShare)
{
    internal double LagP99Ms => Lag.PercentileMs(99);
    internal double LagMaxMs => Lag.MaxMs;
    internal double LagShareOfP99 => Share(99);

    /// <summary>Null for a closed scenario: it has no schedule.</summary>
    internal static ScheduleHealth? Of(ScenarioStats result)
    {
        if (result.Model != LoadModel.Open)
        {
            return null;
        }

        var asked = result.Requested - result.DroppedAfterStop;
        var dropped = result.Dropped - result.DroppedAfterStop;
        return new ScheduleHealth(
            result.Name,
            result.ScheduleLag,
            LatencyHistogram.MergeAll([result.Ok.Response, result.Fail.Response]),
            asked - dropped > 0 ? (double)(result.Started - result.StartedLate) / (asked - dropped) : 0,
            asked > 0 ? (double)dropped / asked : 0);
    }

    /// <param name="limits">What it is held to.</param>
    /// <param name="ofSystem">Waits for the pool that are the system's; empty where they are the generator's.</param>
    internal IEnumerable<HealthEvidence> Evidence(GeneratorHealthLimits limits, LatencyHistogram ofSystem)
    {
        var tail = Tail.Of(Lag.Count, limits);
        var explained = tail > 0 && ofSystem.Count > 0 ? ofSystem.PercentileMs(tail) : 0;
        var late = tail > 0 ? Lag.PercentileMs(tail) - explained : 0;
        if (limits.MaximumLagShareOfP99 is { } p99 && late > limits.LagFloorMs && late > p99 * Response.PercentileMs(tail))
        {
            yield return Late(tail, late, explained, p99);
        }

        // What starts late because the system holds the pool's threads is the system's delay: response times count from the schedule.
        if (explained > limits.LagFloorMs && late <= limits.LagFloorMs)
        {
            yield break;
        }

        if (limits.MinimumAchievedRatio is { } ratio && AchievedRatio < ratio)
        {
            yield return new HealthEvidence("achievedRatio", AchievedRatio, ratio, Text(
                $"scenario '{Scenario}': only {100 * AchievedRatio:0.0} % of the arrivals started within the planned time, at least "
                + $"{100 * ratio:0.0} % are needed; lower the rate or unblock the thread pool"));
        }

        if (limits.MaximumDroppedShare is { } share && DroppedShare > share)
        {
            yield return new HealthEvidence("dropped", DroppedShare, share, Text(
                $"scenario '{Scenario}': {100 * DroppedShare:0.0} % of the arrivals could not start, at most {100 * share:0.0} % may; the "
                + $"load was not the one asked for: lower the rate or raise WithMaxInFlight"));
        }
    }

    private double Share(int percentile) =>
        Response.PercentileMs(percentile) is > 0 and var response ? Lag.PercentileMs(percentile) / response : double.NaN;

    private HealthEvidence Late(int percentile, double late, double explained, double limit)
    {
        var share = late / Response.PercentileMs(percentile);
        return new HealthEvidence($"scheduleLagP{percentile}Share", share, limit, Text(
            $"scenario '{Scenario}': iterations started {late + explained:0.0} ms late (p{percentile}), {explained:0.0} ms of it for want "
            + $"of a thread that the system held; the rest is {100 * share:0} % of the response time's "
            + $"{Response.PercentileMs(percentile):0.0} ms, at most {100 * limit:0} % may be lateness of the generator; do bodies block "
            + $"thread-pool threads?"));
    }
}

/// <summary>Which percentile of so many samples is judged.</summary>
internal static class Tail
{
    /// <summary>99, 95 or 90; 0 where even that has too few samples beyond it.</summary>
    internal static int Of(long count, GeneratorHealthLimits limits) =>
        count == 0 ? 0 : Array.Find([99, 95, 90], percentile => count * (100 - percentile) >= 100L * limits.MinimumSamplesInTail);
}

/// <summary>Whether work waited long for a thread of the pool, against the scenario of whose operations it took most.</summary>
/// <param name="State">Whose it is.</param>
/// <param name="Evidence">The finding.</param>
internal sealed record PoolHealth(PoolState State, HealthEvidence Evidence)
{
    /// <summary>Null where it did not wait long, or nothing looked.</summary>
    internal static PoolHealth? Of(GeneratorSample process, IReadOnlyList<ScenarioStats> scenarios, GeneratorHealthLimits limits)
    {
        var delay = process.PoolDelay;
        if (limits.MaximumPoolDelayShare is not { } limit || delay.Count == 0)
        {
            return null;
        }

        return scenarios
            .Select(scenario => (scenario.Name, Latency: LatencyHistogram.MergeAll([scenario.Ok.Latency, scenario.Fail.Latency])))
            .Select(scenario => (scenario.Name, scenario.Latency, Tail: Tail.Of(Math.Min(scenario.Latency.Count, delay.Count), limits)))
            .Where(scenario => scenario.Tail > 0 && delay.PercentileMs(scenario.Tail) > limits.LagFloorMs
                && delay.PercentileMs(scenario.Tail) > limit * scenario.Latency.PercentileMs(scenario.Tail))
            .Select(scenario => new PoolHealth(
                limits.SharesProcess ? PoolState.StarvedBySystem : PoolState.StarvedByGenerator,
                new HealthEvidence(
                    $"poolDelayP{scenario.Tail}Share", delay.PercentileMs(scenario.Tail) / scenario.Latency.PercentileMs(scenario.Tail),
                    limit, Text(
                        $"work waited {delay.PercentileMs(scenario.Tail):0.0} ms (p{scenario.Tail}) for a thread of the generator's pool, "
                        + $"scenario '{scenario.Name}' took {scenario.Latency.PercentileMs(scenario.Tail):0.0} ms, of which at most "
                        + $"{100 * limit:0} % may be such waiting; use fewer copies or a lower rate, and bodies that do not block"))))
            .MaxBy(health => health.Evidence.Measured);
    }
}

/// <summary>What the generator's own process shows against it.</summary>
internal static class ProcessEvidence
{
    internal static IEnumerable<HealthEvidence> Of(GeneratorSample process, GeneratorHealthLimits limits)
    {
        var judgesShares = process.Duration >= limits.ShareFloor;
        if (judgesShares && limits.MaximumCpuShare is { } cpu && process.CpuShare > cpu)
        {
            yield return new HealthEvidence("cpu", process.CpuShare, cpu, Text(
                $"the generator used {100 * process.CpuShare:0} % of {process.Cores} cores, at most {100 * cpu:0} % may be used; latencies "
                + $"contain its own queueing"));
        }

        if (judgesShares && limits.MaximumGcPauseShare is { } gc && process.GcPauseShare > gc)
        {
            yield return new HealthEvidence("gcPause", process.GcPauseShare, gc, Text(
                $"garbage collection paused the generator for {100 * process.GcPauseShare:0.0} % of the time, at most {100 * gc:0.0} % may "
                + $"be; allocate less in the bodies"));
        }

        if (limits.MaximumConsumerShare is { } consumer
            && process.ConsumerShares.Count(share => share > consumer) is var busy && busy > 0.01 * process.ConsumerShares.Count)
        {
            yield return new HealthEvidence("consumer", process.ConsumerShares.Max(), consumer, Text(
                $"the consumer of events worked for up to {100 * process.ConsumerShares.Max():0} % of a second, in {busy} of "
                + $"{process.ConsumerShares.Count} seconds for more than {100 * consumer:0} %; what came waited for it, and latencies "
                + $"contain that: do less in its callback, or lower the rate"));
        }

        var stalledMs = Math.Max(process.JitterMaxMs, process.Stalled.TotalMilliseconds);
        if (limits.MaximumJitterMs is { } jitter && process.JitterMaxMs > jitter
            && stalledMs > limits.StallFloor * process.Duration.TotalMilliseconds)
        {
            yield return new HealthEvidence("jitter", process.JitterMaxMs, jitter, Text(
                $"a 10 ms ticker on its own thread was {process.JitterMaxMs:0} ms late, at most {jitter:0} ms may be, and stalled for "
                + $"{stalledMs:0} ms of {process.Duration.TotalSeconds:0.#} s; the machine is too busy or was paused"));
        }
    }
}

using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Load.Health;

/// <summary>
/// Whether the generator kept up, with the evidence. A run that is <see cref="GeneratorState.Bound"/> never passes.
/// </summary>
/// <param name="Figures">The figures, as results have them.</param>
/// <param name="Evidence">The limits that were exceeded; empty when healthy.</param>
/// <param name="Process">What was measured of the generator's process.</param>
public sealed record GeneratorHealth(
    GeneratorResult Figures, IReadOnlyList<HealthEvidence> Evidence, GeneratorSample Process)
{
    internal static GeneratorHealth Judge(
        GeneratorSample process, IReadOnlyList<ScenarioStats> scenarios, GeneratorHealthLimits limits)
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
        var figures = new GeneratorResult
        {
            Health = evidence.Length == 0 ? GeneratorState.Healthy : GeneratorState.Bound,
            AchievedRatio = schedules.Length == 0 ? null : schedules.Min(schedule => schedule.AchievedRatio),
            ScheduleLagP99Ms = Worst(schedules, schedule => schedule.LagP99Ms),
            ScheduleLagShare = Worst(schedules, schedule => schedule.LagShareOfP99),
            Dropped = scenarios.Sum(scenario => scenario.Dropped - scenario.DroppedAfterStop),
            CpuShare = Known(process.CpuShare),
            GcPauseShare = Known(process.GcPauseShare),
            ThreadPoolQueueMax = process.ThreadPoolQueueMax,
            JitterMaxMs = Known(process.JitterMaxMs),
            PoolDelayP99Ms = process.PoolDelay.Count == 0 ? null : process.PoolDelay.PercentileMs(99),
            Pool = pool?.State ?? PoolState.Free,
            Evidence = [.. evidence.Select(found => found.Text)],
        };
        return new GeneratorHealth(figures, evidence, process);
    }

    private static double? Worst(ScheduleHealth[] schedules, Func<ScheduleHealth, double> value) =>
        schedules.Select(schedule => Known(value(schedule))).Max();

    private static double? Known(double value) => double.IsFinite(value) ? value : null;
}

/// <summary>A long wait for pool threads, compared with the scenario that it affected most.</summary>
/// <param name="State">Who caused it.</param>
/// <param name="Evidence">The finding.</param>
internal sealed record PoolHealth(PoolState State, HealthEvidence Evidence)
{
    /// <summary>Null if the wait was short or not measured.</summary>
    internal static PoolHealth? Of(
        GeneratorSample process, IReadOnlyList<ScenarioStats> scenarios, GeneratorHealthLimits limits)
    {
        var delay = process.PoolDelay;
        if (limits.MaximumPoolDelayShare is not { } limit || delay.Count == 0)
        {
            return null;
        }

        return scenarios
            .Select(scenario =>
                (scenario.Name, Latency: LatencyHistogram.MergeAll([scenario.Ok.Latency, scenario.Fail.Latency])))
            .Select(scenario =>
                (scenario.Name, scenario.Latency, Tail: limits.TailOf(Math.Min(scenario.Latency.Count, delay.Count))))
            .Where(scenario => scenario.Tail > 0 && delay.PercentileMs(scenario.Tail) > limits.LagFloorMs
                && delay.PercentileMs(scenario.Tail) > limit * scenario.Latency.PercentileMs(scenario.Tail))
            .Select(scenario => new PoolHealth(
                limits.SharesProcess ? PoolState.StarvedBySystem : PoolState.StarvedByGenerator,
                new HealthEvidence(
                    $"poolDelayP{scenario.Tail}Share",
                    delay.PercentileMs(scenario.Tail) / scenario.Latency.PercentileMs(scenario.Tail),
                    limit, Text(
                        $"work waited {delay.PercentileMs(scenario.Tail):0.0} ms (p{scenario.Tail}) for a thread of "
                        + $"the generator's pool, scenario '{scenario.Name}' took "
                        + $"{scenario.Latency.PercentileMs(scenario.Tail):0.0} ms, at most {100 * limit:0} % of that "
                        + $"may be waiting; use fewer copies or a lower rate, and bodies that do not block"))))
            .MaxBy(health => health.Evidence.Measured);
    }
}

/// <summary>Evidence against the generator from its own process.</summary>
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
            && process.ConsumerShares.Count(share => share > consumer) is var busy
            && busy > 0.01 * process.ConsumerShares.Count)
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

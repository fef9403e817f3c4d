namespace LoadTesting.Core.Load;

/// <summary>Whether the generator could follow, and what says so. A run that is <see cref="GeneratorVerdict.Bound"/> never passes.</summary>
public sealed record GeneratorHealth
{
    /// <summary>Healthy or bound.</summary>
    public required GeneratorVerdict Verdict { get; init; }

    /// <summary>The limits that were exceeded; empty when healthy.</summary>
    public required IReadOnlyList<HealthEvidence> Evidence { get; init; }

    /// <summary>The worst schedule-lag p99 of the open scenarios, in milliseconds; null without one.</summary>
    public required double? ScheduleLagP99Ms { get; init; }

    /// <summary>The worst schedule lag of all, in milliseconds; null without an open scenario.</summary>
    public required double? ScheduleLagMaxMs { get; init; }

    /// <summary>The worst schedule-lag p99 as a share of the same scenario's response-time p99.</summary>
    public required double? LagShareOfP99 { get; init; }

    /// <summary>The worst schedule-lag p50 as a share of the same scenario's response-time p50.</summary>
    public required double? LagShareOfP50 { get; init; }

    /// <summary>The worst ratio of iterations that started within the planned time to those asked for and not dropped; null without an open scenario.</summary>
    public required double? AchievedRatio { get; init; }

    /// <summary>Iterations that never started, over all scenarios, without those asked for after the run was stopped.</summary>
    public required long Dropped { get; init; }

    /// <summary>The process itself.</summary>
    public required GeneratorSample Process { get; init; }

    /// <summary>Judges a run.</summary>
    internal static GeneratorHealth Judge(GeneratorSample process, IReadOnlyList<ScenarioStats> scenarios, GeneratorHealthLimits limits)
    {
        var schedules = scenarios.Select(ScheduleHealth.Of).OfType<ScheduleHealth>().ToArray();
        var evidence = schedules.SelectMany(schedule => schedule.Evidence(limits)).Concat(ProcessEvidence.Of(process, limits)).ToArray();
        return new GeneratorHealth
        {
            Verdict = evidence.Length == 0 ? GeneratorVerdict.Healthy : GeneratorVerdict.Bound,
            Evidence = evidence,
            ScheduleLagP99Ms = Worst(schedules, schedule => schedule.LagP99Ms),
            ScheduleLagMaxMs = Worst(schedules, schedule => schedule.LagMaxMs),
            LagShareOfP99 = Worst(schedules, schedule => schedule.LagShareOfP99),
            LagShareOfP50 = Worst(schedules, schedule => schedule.LagShareOfP50),
            AchievedRatio = schedules.Length == 0 ? null : schedules.Min(schedule => schedule.AchievedRatio),
            Dropped = scenarios.Sum(scenario => scenario.Dropped - scenario.DroppedAfterStop),
            Process = process,
        };
    }

    private static double? Worst(ScheduleHealth[] schedules, Func<ScheduleHealth, double> value) =>
        schedules.Select(value).Where(double.IsFinite).Select(finite => (double?)finite).Max();
}

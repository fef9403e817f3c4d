using LoadTesting.Core.Analysis.Statistics;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>Judges closed rungs. A rung that was repeated is judged by the repetition of median throughput.</summary>
internal static class ClosedLadder
{
    internal static LadderResult Judge(IReadOnlyList<RungResult> measured, CapacityOptions options)
    {
        var rungs = new List<RungResult>();
        foreach (var repetitions in measured.GroupBy(rung => rung.Concurrency!.Value).OrderBy(group => group.Key))
        {
            var median = repetitions.OrderBy(rung => rung.ThroughputPerSecond).ElementAt(repetitions.Count() / 2);
            rungs.Add(RungJudge.Closed(median, rungs.LastOrDefault(), RungJudge.UnloadedP95(rungs), options));
        }

        var comfortable = rungs.TakeWhile(rung => rung.Comfortable).ToList();
        return new LadderResult
        {
            Criteria = RungJudge.ClosedCriteria(options),
            Rungs = rungs,
            LastComfortable = comfortable.LastOrDefault()?.Concurrency,
            FirstPressure = rungs.Skip(comfortable.Count).FirstOrDefault()?.Concurrency,
            Knee = KneeOf(rungs, rung => rung.Concurrency).X,
        };
    }

    /// <summary>The knee of p95 over the load.</summary>
    internal static KneePoint KneeOf(IEnumerable<RungResult> rungs, Func<RungResult, double?> load) =>
        Kneedle.Find([.. rungs.Where(rung => rung.P95Ms is not null && load(rung) is not null).Select(rung => (load(rung)!.Value, rung.P95Ms!.Value))]);
}

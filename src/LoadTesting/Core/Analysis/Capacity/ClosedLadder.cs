namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Judges closed load steps. A load step that was repeated is judged by the repetition of median throughput.
/// </summary>
internal static class ClosedLadder
{
    internal static LadderResult Judge(IReadOnlyList<LoadStepResult> measured)
    {
        var steps = new List<LoadStepResult>();
        foreach (var repetitions in measured.GroupBy(step => step.Concurrency!.Value).OrderBy(group => group.Key))
        {
            var median = repetitions.OrderBy(step => step.ThroughputPerSecond).ElementAt(repetitions.Count() / 2);
            steps.Add(LoadStepJudge.Closed(median, steps.LastOrDefault(), LoadStepJudge.UnloadedP95(steps)));
        }

        var comfortable = steps.TakeWhile(step => step.Comfortable).ToList();
        return new LadderResult
        {
            Criteria = LoadStepJudge.ClosedCriteria,
            Steps = steps,
            LastComfortable = comfortable.LastOrDefault()?.Concurrency,
            FirstPressure = steps.Skip(comfortable.Count).FirstOrDefault()?.Concurrency,
        };
    }
}

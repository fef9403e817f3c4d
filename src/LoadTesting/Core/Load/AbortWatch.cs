namespace LoadTesting.Core.Load;

/// <summary>
/// Checks each second of a scenario against its thresholds and stops the run if one of them requires it.
/// </summary>
/// <param name="scenario">Has the thresholds.</param>
/// <param name="stop">Stops the run for a reason.</param>
internal sealed class AbortWatch(ScenarioProps scenario, Action<string> stop)
{
    private readonly (Threshold Rule, int Left)[] _rules =
        [.. scenario.Thresholds.Where(rule => rule.AbortAfterMisses is not null)
            .Select(rule => (rule, rule.AbortAfterMisses!.Value))];

    internal void Check(LiveSecond second)
    {
        for (var index = 0; index < _rules.Length; index++)
        {
            var rule = _rules[index].Rule;
            if (TimeSpan.FromSeconds(second.Index) < rule.StartCheckAfter)
            {
                continue;
            }

            var subject = new ThresholdSubject(second.Latency, second.Failed, 0, second.Latency.Count);
            if (rule.CheckSecond(subject) is (true, var measured) && --_rules[index].Left == 0)
            {
                stop(Invariant.Text(
                    $"scenario '{scenario.ScenarioName}': {rule.AbortAfterMisses} seconds missed the threshold {rule.Name} {rule.Limit}, "
                    + $"the last one, from {second.Index} s on, with {measured:0.###}"));
            }
        }
    }
}

namespace LoadTesting.Core.Load;

/// <summary>Validates a run and reports all violations at once.</summary>
internal static class RunValidation
{
    internal static void ThrowIfInvalid(IReadOnlyList<ScenarioProps> scenarios, LoadOptions options)
    {
        var violations = Violations(scenarios, options).ToArray();
        if (violations.Length > 0)
        {
            throw new ArgumentException($"The run cannot be started: {string.Join(" ", violations)}");
        }
    }

    private static IEnumerable<string> Violations(IReadOnlyList<ScenarioProps> scenarios, LoadOptions options)
    {
        if (scenarios.All(scenario => scenario.IsEmpty))
        {
            yield return scenarios.Count == 0
                ? "There is no scenario."
                : "All scenarios are empty; at least one has to start something.";
        }

        foreach (var name in scenarios.GroupBy(scenario => scenario.ScenarioName, StringComparer.Ordinal)
            .Where(group => group.Count() > 1))
        {
            yield return $"There are {name.Count()} scenarios named '{name.Key}'; names are unique.";
        }

        foreach (var scenario in scenarios.Where(scenario => !scenario.IsEmpty && scenario.LoadSimulations.Count == 0))
        {
            yield return $"Scenario '{scenario.ScenarioName}' has no load; give it WithLoadSimulations (every With returns a new value).";
        }

        if (options.CompletionTimeout <= TimeSpan.Zero)
        {
            yield return $"CompletionTimeout is {options.CompletionTimeout}; it is longer than zero.";
        }

        if (options.Interval < TimeSpan.FromSeconds(1) || options.Interval.Ticks % TimeSpan.TicksPerSecond != 0)
        {
            yield return $"Interval is {options.Interval}; it is a whole number of seconds, at least 1.";
        }
    }
}

namespace LoadTesting.Core.Load.Live;

/// <summary>The published state. Not safe for concurrent use.</summary>
internal sealed class PublishedLoad
{
    internal SortedDictionary<string, PublishedScenario> Scenarios { get; } = new(StringComparer.Ordinal);
    internal ProcessFigures Process { get; set; } = new();

    internal IEnumerable<(string Name, ScenarioProgress Figures)> Running =>
        Scenarios.Where(scenario => scenario.Value.Running is not null)
            .Select(scenario => (scenario.Key, scenario.Value.Running!));
}

using LoadTesting.Core.Baselines;

namespace LoadTesting.Core.Reporting.Documents;

/// <summary>One profile of one run, as a column or a row of a document.</summary>
internal sealed record DocumentColumn(string Profile, RunResult Run)
{
    private readonly ILookup<string, ScenarioResult> scenarios =
        Run.Scenarios.Where(scenario => scenario.Profile == Profile).ToLookup(scenario => scenario.NameWithoutProfile());

    public BackendInfo? Backend => Run.Environment.Backends.GetValueOrDefault(Profile) ?? Run.Environment.Backend;

    public IEnumerable<string> Names => scenarios.Select(group => group.Key);

    /// <summary>The newest result of a scenario; null when the run does not hold it.</summary>
    public ScenarioResult? Find(string name) => scenarios[name].LastOrDefault();
}

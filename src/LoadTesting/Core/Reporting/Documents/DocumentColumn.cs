using LoadTesting.Core.Baselines;

namespace LoadTesting.Core.Reporting.Documents;

/// <summary>One profile of the runs that hold it, as a column or a row of a document.</summary>
internal sealed class DocumentColumn
{
    private readonly ILookup<string, (RunResult Run, ScenarioResult Scenario)> scenarios;

    /// <exception cref="FormatException">A scenario is in two of the runs.</exception>
    public DocumentColumn(string profile, IReadOnlyList<RunResult> runs)
    {
        (Profile, Runs) = (profile, runs);
        scenarios = runs.SelectMany(run => run.Scenarios.Select(scenario => (Run: run, Scenario: scenario)))
            .Where(entry => entry.Scenario.Profile == profile)
            .ToLookup(entry => entry.Scenario.NameWithoutProfile());
        if (scenarios.FirstOrDefault(group => group.Select(entry => entry.Run).Distinct().Count() > 1) is { } twice)
        {
            throw new FormatException(
                $"'{profile}-{twice.Key}' is in the runs {string.Join(" and ", twice.Select(entry => entry.Run.RunId).Distinct())}: " +
                "a document has one of each. Leave one out, or merge them with 'wfperf merge'.");
        }
    }

    public string Profile { get; }

    public IReadOnlyList<RunResult> Runs { get; }

    public BackendInfo? Backend => Runs.Select(run => run.Environment.Backends.GetValueOrDefault(Profile) ?? run.Environment.Backend).FirstOrDefault(backend => backend is not null);

    public IEnumerable<string> Names => scenarios.Select(group => group.Key);

    /// <summary>The newest result of a scenario; null when no run holds it.</summary>
    public ScenarioResult? Find(string name) => scenarios[name].Select(entry => entry.Scenario).LastOrDefault();
}

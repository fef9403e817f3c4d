using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>One profile of the runs that hold it, as a column or a row of a document.</summary>
internal sealed class DocumentColumn
{
    private readonly ILookup<string, ScenarioResult> scenarios;

    public DocumentColumn(string profile, IReadOnlyList<RunResult> runs)
    {
        (Profile, Runs) = (profile, runs);
        scenarios = runs.SelectMany(run => run.Scenarios).Where(scenario => scenario.Profile == profile).ToLookup(scenario => scenario.NameWithoutProfile());
    }

    public string Profile { get; }

    public IReadOnlyList<RunResult> Runs { get; }

    public BackendInfo? Backend => Runs.Select(run => run.Environment.Backends.GetValueOrDefault(Profile) ?? run.Environment.Backend).FirstOrDefault(backend => backend is not null);

    public IEnumerable<string> Names => scenarios.Select(group => group.Key);

    /// <summary>The newest result of a scenario in the last of the runs that hold it; null when none does.</summary>
    public ScenarioResult? Find(string name) => scenarios[name].LastOrDefault();
}

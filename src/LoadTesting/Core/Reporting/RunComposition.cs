using LoadTesting.Core.Baselines;
using LoadTesting.Core.Capacity;

namespace LoadTesting.Core.Reporting;

/// <summary>Fills the members of a run that follow from the others.</summary>
internal static class RunComposition
{
    /// <summary>Why <see cref="EnvironmentInfo.Backend"/> is null in a run of several profiles.</summary>
    public const string SeveralBackends = "backend is null: the run has several profiles, see backends.";

    /// <summary>The run with a fresh environment, the values common to its profiles, and each scenario's share of the ceilings.</summary>
    public static RunResult Complete(RunResult run, EnvironmentInfo environment)
    {
        var backends = run.Environment.Backends;
        return run with
        {
            Environment = environment with
            {
                Backends = backends,
                Backend = backends.Count == 1 ? backends.Values.First() : null,
                Notes = backends.Count > 1 ? [.. environment.Notes, SeveralBackends] : environment.Notes,
            },
            Ceilings = CeilingsResult.Common(run.CeilingsByProfile),
            Scenarios = [.. run.Scenarios.Select(scenario => scenario with { CeilingShares = CeilingShares.Of(scenario, run.CeilingsByProfile) })],
            Capacity = [.. run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly), .. ScenarioLadders.Of(run.Scenarios)],
        };
    }

    /// <summary>The same run with one scenario and only its profile: a document that can serve as a baseline by itself.</summary>
    public static RunResult Only(RunResult run, ScenarioResult scenario) => Part(run, [scenario]) with { NotExercised = [], Capacity = [] };

    /// <summary>The same run with some of its scenarios, and only their profiles.</summary>
    public static RunResult Part(RunResult run, IReadOnlyList<ScenarioResult> scenarios)
    {
        var profiles = scenarios.Select(scenario => scenario.Profile).ToHashSet();
        var part = run with
        {
            Scenarios = scenarios,
            Capacity = [.. run.Capacity.Where(capacity => profiles.Contains(capacity.Profile))],
            CeilingsByProfile = Keep(run.CeilingsByProfile),
            Environment = run.Environment with
            {
                Backends = Keep(run.Environment.Backends),
                Notes = [.. run.Environment.Notes.Where(note => note != SeveralBackends)],
            },
        };
        return Complete(part, part.Environment);

        Dictionary<string, T> Keep<T>(IReadOnlyDictionary<string, T> map) =>
            map.Where(entry => profiles.Contains(entry.Key)).ToDictionary(entry => entry.Key, entry => entry.Value);
    }
}

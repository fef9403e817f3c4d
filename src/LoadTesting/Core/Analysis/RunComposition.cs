using LoadTesting.Core.Analysis.Capacity;

namespace LoadTesting.Core.Analysis;

/// <summary>Computes the derived members of a run.</summary>
public static class RunComposition
{
    /// <summary>
    /// The run with the values common to its profiles, each scenario's share of the ceilings, and the ladders among its
    /// scenarios.
    /// </summary>
    public static RunResult Complete(RunResult run) => Complete(run, run.Environment);

    /// <summary>
    /// The run with a fresh environment, the values common to its profiles, and each scenario's share of the ceilings.
    /// </summary>
    internal static RunResult Complete(RunResult run, EnvironmentInfo environment)
    {
        var backends = run.Environment.Backends;
        return run with
        {
            Environment = environment with
            {
                Backends = backends,
                Backend = backends.Count == 1 ? backends.Values.First() : null,
                Notes = backends.Count > 1
                    ? [.. environment.Notes, EnvironmentInfo.SeveralBackends] : environment.Notes,
            },
            Ceilings = CeilingsResult.Common(run.CeilingsByProfile),
            Scenarios = [
                .. run.Scenarios
                    .Select(scenario => WithShares(scenario, CeilingShares.Of(scenario, run.CeilingsByProfile)))],
            Capacity =
            [
                .. run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly),
                .. ScenarioLadders.Of(run.Scenarios),
            ],
        };
    }

    /// <summary>Returns the same instance if its shares are unchanged, so that the writer can recognise it.</summary>
    private static ScenarioResult WithShares(ScenarioResult scenario, Dictionary<string, double> shares) =>
        shares.Count == scenario.CeilingShares.Count && shares.All(share => scenario.CeilingShares.Contains(share))
            ? scenario
            : scenario with { CeilingShares = shares };

    /// <summary>Without the note that the composition adds.</summary>
    internal static EnvironmentInfo WithoutSeveralBackends(EnvironmentInfo environment) => environment with
    {
        Notes = [.. environment.Notes.Where(note => note != EnvironmentInfo.SeveralBackends)],
    };

    /// <summary>
    /// The same run with one scenario and only its profile: a document that can serve as a baseline.
    /// </summary>
    internal static RunResult Only(RunResult run, ScenarioResult scenario) =>
        Part(run, [scenario]) with { NotExercised = [], Capacity = [] };

    /// <summary>The same run with some of its scenarios, and only their profiles.</summary>
    internal static RunResult Part(RunResult run, IReadOnlyList<ScenarioResult> scenarios)
    {
        var profiles = scenarios.Select(scenario => scenario.Profile).ToHashSet();
        var part = run with
        {
            Scenarios = scenarios,
            Capacity = [.. run.Capacity.Where(capacity => profiles.Contains(capacity.Profile))],
            CeilingsByProfile = Keep(run.CeilingsByProfile),
            Environment = WithoutSeveralBackends(run.Environment) with { Backends = Keep(run.Environment.Backends) },
        };
        return Complete(part);

        Dictionary<string, T> Keep<T>(IReadOnlyDictionary<string, T> map) =>
            map.Where(entry => profiles.Contains(entry.Key)).ToDictionary(entry => entry.Key, entry => entry.Value);
    }
}

using System.IO.Enumeration;
using LoadTesting.Core.Analysis.Capacity;

namespace LoadTesting.Core.Analysis;

/// <summary>Fills the members of a run that follow from the others.</summary>
public static class RunComposition
{
    /// <summary>
    /// The run with the values common to its profiles, each scenario's share of the ceilings, and the ladders among its scenarios.
    /// </summary>
    public static RunResult Complete(RunResult run)
    {
        ArgumentNullException.ThrowIfNull(run);
        return Complete(run, run.Environment);
    }

    /// <summary>The run with a fresh environment, the values common to its profiles, and each scenario's share of the ceilings.</summary>
    internal static RunResult Complete(RunResult run, EnvironmentInfo environment)
    {
        var backends = run.Environment.Backends;
        return run with
        {
            Environment = environment with
            {
                Backends = backends,
                Backend = backends.Count == 1 ? backends.Values.First() : null,
                Notes = backends.Count > 1 ? [.. environment.Notes, EnvironmentInfo.SeveralBackends] : environment.Notes,
            },
            Ceilings = CeilingsResult.Common(run.CeilingsByProfile),
            Scenarios = [.. run.Scenarios.Select(scenario => WithShares(scenario, CeilingShares.Of(scenario, run.CeilingsByProfile)))],
            Capacity =
            [
                .. run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly), .. ScenarioLadders.Of(run.Scenarios),
            ],
        };
    }

    /// <summary>The scenario itself where its shares are these already: who writes it can see that it has not changed.</summary>
    private static ScenarioResult WithShares(ScenarioResult scenario, Dictionary<string, double> shares) =>
        shares.Count == scenario.CeilingShares.Count && shares.All(share => scenario.CeilingShares.Contains(share))
            ? scenario
            : scenario with { CeilingShares = shares };

    /// <summary>Without the note that the composition adds.</summary>
    internal static EnvironmentInfo WithoutSeveralBackends(EnvironmentInfo environment) => environment with
    {
        Notes = [.. environment.Notes.Where(note => note != EnvironmentInfo.SeveralBackends)],
    };

    /// <summary>The same run with one scenario and only its profile: a document that can serve as a baseline by itself.</summary>
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

/// <summary>
/// What a run measured under one name: a scenario, or a search for the capacity in the form of one, so that the rules of comparison hold
/// for both.
/// </summary>
/// <param name="Scenario">The scenario's result; of a search one without operations, whose load model is the search's criteria.</param>
/// <param name="Capacity">What the search found; null of a scenario.</param>
internal sealed record Measured(ScenarioResult Scenario, CapacityResult? Capacity = null)
{
    /// <summary>What one is matched by.</summary>
    public (string Name, HostingKind Hosting) Key => (Scenario.Name, Scenario.Hosting);

    /// <summary>Scenarios and searches of a run, in this order.</summary>
    public static IEnumerable<Measured> Of(RunResult run) =>
        run.Scenarios.Select(scenario => new Measured(scenario)).Concat(Searches(run));

    public static IEnumerable<Measured> Searches(RunResult run) =>
        run.Capacity.Where(capacity => capacity.Outcome != CapacityOutcome.LadderOnly).Select(capacity => new Measured(
            new ScenarioResult
            {
                Name = capacity.Name,
                Tier = "",
                Profile = capacity.Profile,
                Hosting = capacity.Hosting,
                LoadEngine = "",
                LoadModel = string.Join("; ", capacity.Open?.Criteria ?? []),
                DefinitionHash = ContentHash.Of(capacity.Name),
                Operations = 0,
                DurationMs = 0,
                ThroughputPerSecond = 0,
                Latency = new LatencyResult { N = 0 },
                Verdict = capacity.ToVerdict(),
            },
            capacity));
}

internal static class RepeatedMeasurements
{
    /// <summary>Of what a run measured several times the newest; but one that failed is not made good by another try.</summary>
    public static Measured? NewestOrFailed(this IEnumerable<Measured> measured) =>
        measured.OrderBy(one => one.Scenario.Verdict.Outcome == VerdictOutcome.Failed).LastOrDefault();
}

public static class RunSelection
{
    /// <summary>
    /// The run with those of its scenarios whose full names the patterns ask for, and their profiles with the searches for a capacity that
    /// no pattern takes away.
    /// </summary>
    /// <param name="patterns">Names, in which <c>*</c> and <c>?</c> stand for characters and a leading <c>!</c> takes away; empty asks for
    /// everything.</param>
    public static RunResult Of(RunResult run, IReadOnlyList<string> patterns)
    {
        ArgumentNullException.ThrowIfNull(run);
        ArgumentNullException.ThrowIfNull(patterns);
        return patterns.Count == 0
            ? run
            : RunComposition.Part(
                run with { Capacity = [.. run.Capacity.Where(capacity => Matches([.. patterns.Where(IsExclusion)], capacity.Name))] },
                [.. run.Scenarios.Where(scenario => Matches(patterns, scenario.Name))]);
    }

    /// <summary>Whether the patterns ask for a scenario.</summary>
    internal static bool Matches(IReadOnlyList<string> patterns, string name)
    {
        var wanted = patterns.Where(pattern => !IsExclusion(pattern)).ToList();
        return (wanted.Count == 0 || wanted.Any(pattern => IsLike(pattern, name)))
            && !patterns.Any(pattern => IsExclusion(pattern) && IsLike(pattern[1..], name));
    }

    private static bool IsExclusion(string pattern) => pattern.StartsWith('!');

    private static bool IsLike(string pattern, string name) => FileSystemName.MatchesSimpleExpression(pattern, name, ignoreCase: false);
}

/// <summary>How near a result comes to what lies below the system.</summary>
internal static class CeilingShares
{
    private static readonly (string Name, string Header, Func<CeilingsResult, double?> Ceiling, Func<ScenarioResult, bool> Limits)[] Known =
    [
        ("fsyncPerSecond", "of fsyncs", static ceilings => ceilings.FsyncPerSecond, static _ => true),
        ("commitsPerSecond", "of commits, 1 client", static ceilings => ceilings.CommitsPerSecond, static _ => true),
        ("concurrentCommitsPerSecond", "of commits, many", static ceilings => ceilings.ConcurrentCommitsPerSecond, static _ => true),
        ("emptyHttpPerSecond", "of empty HTTP", static ceilings => ceilings.EmptyHttpPerSecond,
            static scenario => scenario.Hosting == HostingKind.Http),
        ("transportEventsPerSecond", "of the transport", static ceilings => ceilings.TransportEventsPerSecond,
            static scenario => scenario.Transport is not null),
    ];

    /// <summary>The throughput over each ceiling that was measured and that such a scenario can reach.</summary>
    public static Dictionary<string, double> Of(ScenarioResult scenario, IReadOnlyDictionary<string, CeilingsResult> byProfile) =>
        !byProfile.TryGetValue(scenario.Profile, out var ceilings)
            ? []
            : Known.Where(share => share.Limits(scenario) && share.Ceiling(ceilings) is > 0)
                .ToDictionary(share => share.Name, share => scenario.ThroughputPerSecond / share.Ceiling(ceilings)!.Value);

    /// <summary>Of which ceilings any of these scenarios has a share: the member's name, and the header of its column.</summary>
    public static IReadOnlyList<(string Name, string Header)> Columns(IEnumerable<ScenarioResult> scenarios) =>
        [.. Known.Where(share => scenarios.Any(scenario => scenario.CeilingShares.ContainsKey(share.Name)))
            .Select(share => (share.Name, share.Header))];

    /// <summary>A scenario's share in the words of a table.</summary>
    public static string Cell(ScenarioResult scenario, string name) =>
        Figures.Percent(scenario.CeilingShares.TryGetValue(name, out var share) ? share : null);
}

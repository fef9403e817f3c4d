namespace LoadTesting.Core.Reporting.Tables;

/// <summary>The environment as name and value, in reading order; what is unknown says so.</summary>
internal static class EnvironmentFacts
{
    public static IReadOnlyList<(string Name, string Value)> Of(RunResult run)
    {
        var environment = run.Environment;
        return
        [
            ("Run", $"{run.RunId}, begun {Figures.Utc(run.CreatedUtc)}"),
            ("Commit", Commit(run)),
            ("Processor",
                $"{environment.CpuModel ?? "unknown"}, {environment.Cores?.ToString(CultureInfo.InvariantCulture) ?? "?"} logical cores"),
            ("Memory", Figures.Gibibytes(environment.MemoryBytes)),
            ("Limits", Limits(environment)),
            ("System", Join(environment.Os, environment.Kernel is { } kernel ? "kernel " + kernel : null, environment.Architecture)),
            ("Runtime", Join(environment.Dotnet, environment.Sdk is { } sdk ? "SDK " + sdk : null,
                environment.GcMode is { } gc ? gc + " collector" : null)),
            ("Load average", $"{Load(environment.LoadAverageBefore)} before, {Load(environment.LoadAverageAfter)} after (1, 5, 15 min)"),
            ("Stolen by the hypervisor", Figures.Percent(environment.StealShare) + " of processor time"),
            ("Machine class", environment.MachineClass ?? "unknown"),
            ("Fingerprint", environment.Fingerprint ?? "unknown"),
            ("Boot", environment.BootId ?? "unknown"),
        ];
    }

    public static string Commit(RunResult run) => run.Commit is null
        ? "none: not in a repository"
        : run.Commit + run.Dirty switch { true => ", with uncommitted changes", false => ", clean", null => ", unknown whether clean" };

    private static string Limits(EnvironmentInfo environment)
    {
        var limits = Join(
            environment.CpuLimitCores is { } cores ? Figures.Counter(cores) + " cores" : null,
            environment.MemoryLimitBytes is { } bytes ? Figures.Gibibytes(bytes) : null);
        return limits == "unknown" ? "none" : limits + " (control group)";
    }

    private static string Load(IReadOnlyList<double>? values) =>
        values is null ? "unknown" : string.Join(" / ", values.Select(value => value.ToString("0.00", CultureInfo.InvariantCulture)));

    private static string Join(params string?[] parts)
    {
        var known = parts.OfType<string>().ToList();
        return known.Count == 0 ? "unknown" : string.Join(", ", known);
    }
}

/// <summary>What became of a run: of its scenarios, and of its searches for the capacity. A closed ladder alone has no verdict.</summary>
internal static class RunVerdicts
{
    public static IReadOnlyList<(string Name, VerdictOutcome Outcome)> Of(RunResult run) =>
    [
        .. run.Scenarios.Select(scenario => (scenario.Name, scenario.Verdict.Outcome)),
        .. run.Capacity.Where(search => search.Outcome != CapacityOutcome.LadderOnly)
            .Select(search => (search.Name, search.ToVerdict().Outcome)),
    ];

    /// <summary>Null where there is none.</summary>
    public static VerdictOutcome? Worst(RunResult run) => Worst(Of(run).Select(verdict => verdict.Outcome));

    /// <summary>Null where there is none.</summary>
    public static VerdictOutcome? Worst(IEnumerable<VerdictOutcome> outcomes)
    {
        var known = outcomes.ToHashSet();
        return known.Count == 0 ? null
            : known.Contains(VerdictOutcome.Failed) ? VerdictOutcome.Failed
            : known.Contains(VerdictOutcome.Inconclusive) ? VerdictOutcome.Inconclusive
            : VerdictOutcome.Passed;
    }
}

/// <summary>The headline of a run: one statement for each profile.</summary>
internal static class Headline
{
    /// <summary>A profile, whether all its scenarios passed, and the statement.</summary>
    internal sealed record Statement(string Profile, VerdictOutcome Outcome, string Text);

    public static IReadOnlyList<Statement> Of(RunResult run) =>
        [.. run.Scenarios.GroupBy(scenario => scenario.Profile).Select(group => ForProfile(run, group.Key, [.. group]))];

    /// <summary>Why profiles stand side by side without a ranking; null when their durability is alike or there is one.</summary>
    public static string? NoRanking(RunResult run)
    {
        var classes = run.Scenarios.Select(scenario => scenario.Profile).Distinct()
            .Select(profile => (Profile: profile, Durability: run.Environment.Backends.GetValueOrDefault(profile)?.Durability ?? "unknown"))
            .ToList();
        return classes.Select(entry => entry.Durability).Distinct().Count() > 1
            ? $"Durability differs ({string.Join(", ", classes.Select(entry => $"{entry.Profile}: {entry.Durability}"))}), so the profiles "
                + "are not ranked."
            : null;
    }

    /// <summary>Product, version and durability of a profile's backend in a few words; empty when nothing is known.</summary>
    public static string BackendOf(RunResult run, string profile)
    {
        var backend = run.Environment.Backends.GetValueOrDefault(profile);
        var product = string.Join(" ", new[] { backend?.Product, backend?.Version }.OfType<string>());
        var durability = backend?.Durability is { } known ? "durability: " + known : null;
        return string.Join(", ", new[] { product.Length > 0 ? product : null, durability }.OfType<string>());
    }

    private static Statement ForProfile(RunResult run, string profile, IReadOnlyList<ScenarioResult> scenarios)
    {
        var passed = scenarios.Where(scenario => scenario.Verdict.Outcome == VerdictOutcome.Passed).ToList();
        var text = $"{passed.Count} of {scenarios.Count} {(scenarios.Count == 1 ? "scenario" : "scenarios")} passed"
            + Exceptions(scenarios, VerdictOutcome.Failed) + Exceptions(scenarios, VerdictOutcome.Inconclusive) + ".";
        text += passed.Count == 0 ? " No figure is quoted, since none passed." : " " + Best(passed);
        var backend = BackendOf(run, profile);
        var worst = RunVerdicts.Worst(scenarios.Select(scenario => scenario.Verdict.Outcome))!.Value;
        return new Statement(profile, worst, backend.Length > 0 ? $"{text} Backend: {backend}." : text);
    }

    private static string Best(IReadOnlyList<ScenarioResult> passed)
    {
        var fastest = passed.MaxBy(scenario => scenario.ThroughputPerSecond)!;
        var text = $"Highest throughput {Figures.Rate(fastest.ThroughputPerSecond)} operations/s ({Name(fastest)}, n "
            + $"{Figures.Count(fastest.Latency.N)})";
        var quickest = passed.Where(scenario => scenario.Latency.P50Ms is not null).MinBy(scenario => scenario.Latency.P50Ms);
        return quickest is null
            ? text + "."
            : text + $"; lowest median {Figures.Ms(quickest.Latency.P50Ms)} ms ({Name(quickest)}, n {Figures.Count(quickest.Latency.N)}).";
    }

    private static string Name(ScenarioResult scenario) => scenario.NameWithoutProfile();

    private static string Exceptions(IReadOnlyList<ScenarioResult> scenarios, VerdictOutcome outcome)
    {
        var names = scenarios.Where(scenario => scenario.Verdict.Outcome == outcome).Select(Name).ToList();
        return names.Count == 0 ? "" : $", {names.Count} {Figures.Word(outcome)} ({string.Join(", ", names)})";
    }
}

/// <summary>Which counts of the ledger a table shows: the main ones, and any that is not zero somewhere.</summary>
internal sealed record LedgerColumns(IReadOnlyList<string> Shown, IReadOnlyList<string> Hidden)
{
    private static readonly string[] Always = ["requested", "started", "completed", "failed", "lost", "duplicate"];

    public static LedgerColumns Of(IEnumerable<LedgerResult> ledgers)
    {
        var used = ledgers.SelectMany(ledger => ledger.Counts()).GroupBy(count => count.Key)
            .ToLookup(count => Always.Contains(count.Key) || count.Any(entry => entry.Value != 0), count => count.Key);
        return new LedgerColumns([.. used[true]], [.. used[false]]);
    }
}

/// <summary>The order in which people look things up; a result file keeps the order in which the scenarios ended.</summary>
internal static partial class ReadingOrder
{
    private const int Digits = 9;

    /// <summary>By name, its numbers by their value: c4 stands before c16. Repetitions stay in their order.</summary>
    public static RunResult InReadingOrder(this RunResult run) => run with
    {
        Scenarios = [.. run.Scenarios.OrderBy(scenario => Key(scenario.Name), StringComparer.Ordinal)],
    };

    private static string Key(string name) => Number().Replace(name, number => number.Value.PadLeft(Digits, '0'));

    [GeneratedRegex("[0-9]+")]
    private static partial Regex Number();
}

/// <summary>What every report says of findings.</summary>
internal static class FindingWords
{
    public const string Introduction =
        "The mean response time, divided among resources. Guilty: an operation loses a considerable share of it there. Exonerated: it was "
        + "examined and does not. What was not examined is neither.";

    public static IReadOnlyList<ScenarioResult> Examined(
        RunResult run) => [.. run.Scenarios.Where(scenario => scenario.Findings is not null)];

    /// <summary>Resources in the order of reports, of whatever version wrote the run.</summary>
    public static IReadOnlyList<string> Resources(IEnumerable<ScenarioResult> examined) =>
        [.. examined.SelectMany(scenario => scenario.Findings!.Resources).Select(resource => resource.Resource).Distinct()];

    public static string Share(FindingsResult findings, ResourceResult resource) => resource.State == ResourceState.NotExamined
        ? Figures.Absent
        : Figures.Percent(findings.ResponseSeconds > 0 ? resource.ImpactSecondsPerOperation / findings.ResponseSeconds : null);

    /// <summary>Each reason once, with the resources and scenarios it is about; scenarios are left out when it is about all.</summary>
    public static IEnumerable<string> Unexamined(IReadOnlyList<ScenarioResult> examined)
    {
        var reasons =
            from scenario in examined
            from resource in scenario.Findings!.Resources
            where resource.State == ResourceState.NotExamined
            group (scenario.Name, resource.Resource) by string.Join(" ", resource.Evidence);
        foreach (var reason in reasons)
        {
            var names = reason.Select(about => about.Name).Distinct().ToList();
            var where = names.Count == examined.Count ? "" : $" ({string.Join(", ", names)})";
            yield return $"Not examined: {string.Join(", ", reason.Select(about => about.Resource).Distinct())}{where}. {reason.Key}";
        }
    }

    public static string Word(FindingConfidence confidence) => confidence switch
    {
        FindingConfidence.High => "high",
        FindingConfidence.Medium => "medium",
        _ => "low",
    };
}

/// <summary>What every report says of a ladder or a search for the capacity.</summary>
internal static class CapacityWords
{
    public static string Of(CapacityResult capacity) => capacity.Violations is { Count: > 0 } violations
        ? $"{capacity.Sentence} Failed: {string.Join("; ", violations)}."
        : capacity.Sentence;
}

/// <summary>Checks as people read them.</summary>
internal static class ValidityWords
{
    private const double Mebibyte = 1 << 20;

    /// <summary>Checks that passed, of those that could be made.</summary>
    public static string Passed(ValidityResult validity)
    {
        var made = validity.Checks.Where(check => check.Outcome != CheckOutcome.NotApplicable).ToList();
        return $"{made.Count(check => check.Outcome == CheckOutcome.Passed)} of {made.Count}";
    }

    public static string WarmUp(WarmUpResult? warmUp) => warmUp switch
    {
        null => Figures.Absent,
        { Steady: false } => "not settled",
        _ => Figures.Percent((double)warmUp.CutCompletions / warmUp.Completions),
    };

    public static string Outcome(CheckOutcome outcome) => outcome switch
    {
        CheckOutcome.Passed => "passed",
        CheckOutcome.Failed => "failed",
        _ => "not made",
    };

    public static string Resource(LeakResult leak) => $"{leak.Name}, {(leak.Unit == "bytes" ? "MiB" : leak.Unit)}";

    public static string Amount(LeakResult leak, double value) =>
        Figures.Counter(leak.Unit == "bytes" ? Math.Round(value / Mebibyte, 2) : Math.Round(value, 3));
}

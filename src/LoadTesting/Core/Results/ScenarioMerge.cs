namespace LoadTesting.Core.Results;

/// <summary>Merges the results of one scenario that are known to be alike.</summary>
internal static class ScenarioMerge
{
    private static readonly string[] SaidOfTheWhole =
        [nameof(ScenarioResult.Runs), nameof(ScenarioResult.Part), nameof(ScenarioResult.Notes)];

    /// <param name="inputs">At least one.</param>
    /// <param name="complete">
    /// Completes the result of runs at the same time; null (the default) for consecutive runs.
    /// </param>
    public static ScenarioResult Of(
        IReadOnlyList<MergeInput> inputs, Func<ScenarioResult, ScenarioResult>? complete = null)
    {
        if (inputs.Count == 1 && complete is null)
        {
            return inputs[0].Scenario;
        }

        var scenarios = inputs.Select(input => input.Scenario).ToList();
        var first = scenarios[0];
        var duration = scenarios.Sum(scenario => scenario.DurationMs);
        var completed = inputs.Sum(input => input.Completed);
        // Members are listed one by one, so that a new member stays null with a note instead of taking the first run's
        // value.
        var merged = new ScenarioResult
        {
            Name = first.Name,
            Tier = first.Tier,
            Profile = first.Profile,
            Hosting = first.Hosting,
            Transport = first.Transport,
            LoadEngine = first.LoadEngine,
            LoadModel = first.LoadModel,
            DefinitionHash = first.DefinitionHash,
            StartedUtc = first.StartedUtc,
            Operations = scenarios.Sum(scenario => scenario.Operations),
            Concurrency = first.Concurrency,
            SignalWorkers = first.SignalWorkers,
            Lanes = first.Lanes,
            DurationMs = duration,
            ThroughputPerSecond = duration > 0 ? completed / duration * 1000 : 0,
            Latency = Latency(scenarios.ConvertAll(scenario => scenario.Latency)),
            FailedLatency = scenarios.Any(scenario => scenario.FailedLatency is not null)
                ? Latency([.. scenarios.Select(scenario => scenario.FailedLatency).OfType<LatencyResult>()]) : null,
            Clocks = Latencies(scenarios.ConvertAll(scenario => scenario.Clocks)),
            Phases = Latencies(scenarios.ConvertAll(scenario => scenario.Phases)),
            ServerSplit = scenarios.Any(scenario => scenario.ServerSplit is null)
                ? null
                : Latencies(scenarios.ConvertAll(scenario => scenario.ServerSplit!)),
            Requests = RequestResult.SumOf([.. scenarios.Select(scenario => scenario.Requests)]) is { } requests
                ? requests with
                {
                    PerSecond = Weighted.Mean(
                        scenarios.Select(scenario => ((double?)scenario.Requests!.PerSecond, scenario.DurationMs)))
                        ?? 0,
                }
                : null,
            Reproduce = first.Reproduce,
            Ledger = LedgerResult.SumOf(scenarios.ConvertAll(scenario => scenario.Ledger!)),
            Stalls = All(scenarios, scenario => scenario.Stalls),
            Errors = Errors(scenarios),
            WarmUp = WarmUpLoadResult.SumOf(scenarios.Select(scenario => scenario.WarmUp)),
            Thresholds = Thresholds(scenarios),
            Backend = CountersMerge.Of(inputs),
            Resources = ResourcesMerge.Of(inputs),
            Generator = scenarios.All(scenario => scenario.Generator is not null)
                ? GeneratorResult.WorstOf([.. scenarios.Select(scenario => scenario.Generator!)])
                : null,
            Validity = ValidityMerge.Of(inputs),
            Verdict =
                new VerdictResult(VerdictOutcome.Passed, Distinct(scenarios, scenario => scenario.Verdict.Reasons)),
            Runs = [.. inputs.SelectMany(input => input.Parts)],
            Notes = Distinct(scenarios, scenario => scenario.Notes),
        };
        merged = complete?.Invoke(merged) ?? merged;
        return merged with { Notes = [.. merged.Notes, .. NotMerged(merged, scenarios)] };
    }

    private static List<string> Distinct(
        IEnumerable<ScenarioResult> scenarios, Func<ScenarioResult, IEnumerable<string>> texts) =>
        [.. scenarios.SelectMany(texts).Distinct()];

    private static LatencyResult Latency(IReadOnlyList<LatencyResult> parts) =>
        LatencyResult.From(
            LatencyHistogram.MergeAll(
                parts.Where(part => part.N > 0).Select(part => LatencyHistogram.Parse(part.Histogram!))));

    // A name that only some of the runs have would be a distribution of those alone.
    private static Dictionary<string, LatencyResult> Latencies(
        IReadOnlyList<IReadOnlyDictionary<string, LatencyResult>> parts) =>
        parts[0].Keys
            .Where(name => parts.All(
                part => part.TryGetValue(name, out var latency) && latency is { N: 0 } or { Histogram: not null }))
            .ToDictionary(name => name, name => Latency([.. parts.Select(part => part[name])]));

    /// <summary>The elements of all runs, in order, on each run's own time; null if a run has none recorded.</summary>
    private static List<T>? All<T>(List<ScenarioResult> scenarios, Func<ScenarioResult, IReadOnlyList<T>?> member) =>
        scenarios.TrueForAll(scenario => member(scenario) is not null)
            ? [.. scenarios.SelectMany(scenario => member(scenario)!)]
            : null;

    private static IReadOnlyList<ErrorResult>? Errors(List<ScenarioResult> scenarios) =>
        All(scenarios, scenario => scenario.Errors) is { } errors ? ErrorResult.SumOf(errors) : null;

    /// <summary>
    /// For each rule the worst outcome of the runs, with the samples of all; null if the runs have different rules.
    /// </summary>
    private static List<ThresholdResult>? Thresholds(List<ScenarioResult> scenarios)
    {
        if (All(scenarios, scenario => scenario.Thresholds) is not { } thresholds)
        {
            return null;
        }

        var rules = thresholds.GroupBy(threshold => (threshold.Metric, threshold.Limit)).ToList();
        return rules.TrueForAll(rule => rule.Count() == scenarios.Count)
            ? rules.ConvertAll(rule => rule.MaxBy(threshold => Array.IndexOf(
                [ThresholdOutcome.Passed, ThresholdOutcome.NotEnoughSamples, ThresholdOutcome.Failed],
                threshold.Outcome))! with
            {
                N = rule.Sum(threshold => threshold.N),
            })
            : null;
    }

    /// <summary>Says of every member that a run has and the whole lacks that it is with the runs.</summary>
    private static IEnumerable<string> NotMerged(ScenarioResult merged, IReadOnlyList<ScenarioResult> scenarios) =>
        from member in typeof(ScenarioResult).GetProperties()
        where !SaidOfTheWhole.Contains(member.Name) && member.GetValue(merged) is null
            && scenarios.Any(scenario => member.GetValue(scenario) is not null)
        select $"{JsonNamingPolicy.CamelCase.ConvertName(member.Name)} is null: it is not merged, or not every run has "
            + "it; see the runs' own files.";
}

/// <summary>
/// Merges processor and memory, by what the name of a figure says of it; one whose name says nothing is null.
/// </summary>
internal static class ResourcesMerge
{
    public static ResourcesResult? Of(IReadOnlyList<MergeInput> inputs) =>
        inputs.Any(input => input.Scenario.Resources is null) ? null : new ResourcesResult
        {
            Generator = Side(inputs, resources => resources.Generator),
            Service = Side(inputs, resources => resources.Service),
            Database = Side(inputs, resources => resources.Database),
        };

    private static Dictionary<string, double?> Side(
        IReadOnlyList<MergeInput> inputs, Func<ResourcesResult, IReadOnlyDictionary<string, double?>> side) =>
        inputs.SelectMany(input => side(input.Scenario.Resources!).Keys).Distinct().ToDictionary(
            name => name,
            name => Figure(
                name, [.. inputs.Select(input => (side(input.Scenario.Resources!).GetValueOrDefault(name), input))]));

    private static double? Figure(string name, IReadOnlyList<(double? Value, MergeInput Input)> values) => name switch
    {
        _ when values.Any(value => value.Value is null) => null,
        _ when name.StartsWith("peak", StringComparison.Ordinal) => values.Max(value => value.Value),
        _ when name.EndsWith("PerOperation", StringComparison.Ordinal) =>
            Weighted.Mean(values.Select(value => (value.Value, (double)value.Input.Completed))),
        _ when name.EndsWith("Seconds", StringComparison.Ordinal) => values.Sum(value => value.Value),
        _ when name.EndsWith("Cores", StringComparison.Ordinal) || name.EndsWith("Share", StringComparison.Ordinal) =>
            Weighted.Mean(values.Select(value => (value.Value, value.Input.Scenario.DurationMs))),
        _ => null,
    };
}

/// <summary>
/// Merges validity: of each check the worst of the runs. What was fitted to a single run is with that run.
/// </summary>
internal static class ValidityMerge
{
    public static ValidityResult? Of(IReadOnlyList<MergeInput> inputs)
    {
        var parts = inputs.Select(input => input.Scenario.Validity).OfType<ValidityResult>().ToList();
        return parts.Count < inputs.Count ? null : new ValidityResult
        {
            Checks = Worst(parts.SelectMany(part => part.Checks)),
            Environment = Worst(parts.SelectMany(part => part.Environment)),
            // The only word of it that speaks against a baseline.
            WarmUp = parts.Select(part => part.WarmUp).FirstOrDefault(warmUp => warmUp is { Steady: false }),
        };
    }

    private static List<CheckResult> Worst(IEnumerable<CheckResult> checks) =>
        [.. checks.GroupBy(check => check.Name)
            .Select(runs => runs.OrderByDescending(Severity).ThenByDescending(check => check.Value).First())];

    private static int Severity(CheckResult check) => check.Outcome switch
    {
        CheckOutcome.Failed => 2,
        CheckOutcome.NotApplicable => 1,
        _ => 0,
    };
}

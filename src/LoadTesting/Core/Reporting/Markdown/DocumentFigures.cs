using LoadTesting.Core.Analysis.Findings;
using static LoadTesting.Core.Reporting.Tables.ReportColumn;
using static LoadTesting.Core.Reporting.Tables.ReportTable;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>The tables a document can ask for.</summary>
internal sealed class DocumentFigures
{
    private readonly IReadOnlyList<RunResult> all;
    private readonly List<DocumentColumn> columns;
    private readonly List<string> names;

    public DocumentFigures(IReadOnlyList<RunResult> given)
    {
        RunResult[] runs = [.. given.Select(run => run.InReadingOrder())];
        all = runs;
        columns = [.. runs.SelectMany(run => run.Scenarios.Select(scenario => scenario.Profile)).Distinct()
            .Select(profile =>
                new DocumentColumn(
                    profile, [.. runs.Where(run => run.Scenarios.Any(scenario => scenario.Profile == profile))]))];
        names = [.. columns.SelectMany(column => column.Names).Distinct()];
    }

    public IEnumerable<ReportTable> Metadata()
    {
        foreach (var run in all)
        {
            yield return Untitled(
                [Text("what"), Text("value")],
                EnvironmentFacts.Of(run).Where(fact => fact.Value is not "unknown")
                    .Select(fact => Values(fact.Name, fact.Value)));
        }

        yield return Untitled(
            [Text("profile"), Text("backend"), Text("durability"), Text("provided by"), Text("settings")],
            columns.Select(column => Values(
                column.Profile,
                string.Join(" ", new[] { column.Backend?.Product, column.Backend?.Version }.OfType<string>()),
                column.Backend?.Durability ?? "not recorded",
                column.Backend?.Provision ?? "not recorded",
                string.Join(
                    ", ", column.Backend?.Settings.Select(setting => $"{setting.Key} = {setting.Value}") ?? []))));
    }

    public IEnumerable<ReportTable> Ceilings() =>
    [
        Untitled(
            [
                Text("profile"), new("fsync", "/s"), new("one-row commits", "/s"), new("concurrent commits", "/s"),
                new("clients"),
                new("round trip", "ms"),
                new("empty HTTP", "/s"), new("transport alone", "events/s"), new("transport alone, one", "ms"),
            ],
            columns.SelectMany(column =>
                column.Runs
                    .Select(run => (column.Profile, Ceilings: run.CeilingsByProfile.GetValueOrDefault(column.Profile))))
                .Where(entry => entry.Ceilings is not null)
                .Select(entry => Values(entry.Profile, Figures.Ceilings(entry.Ceilings!)))),
    ];

    public ReportTable Shares(IReadOnlyList<string> patterns)
    {
        var found = Matching(patterns).Where(entry => entry.Scenario.CeilingShares.Count > 0).ToList();
        var shares = CeilingShares.Columns(found.Select(entry => entry.Scenario));
        return Untitled(
            [
                Text("scenario"), Text("profile"), new("throughput", "/s"),
                .. shares.Select(share => new ReportColumn(share.Header)),
            ],
            found.Select(entry => Values(
                entry.Name, entry.Column.Profile, Figures.Rate(entry.Scenario.ThroughputPerSecond),
                shares.Select(share => CeilingShares.Cell(entry.Scenario, share.Name)))));
    }

    public ReportTable Summary(IReadOnlyList<string> patterns) => Untitled(
        [
            Text("scenario"), Text("profile"), Text("tier"), new("ops"), new("conc"), new("duration", "ms"),
            new("throughput", "/s"),
            .. Latency[1..], Text("verdict"),
        ],
        Matching(patterns).Select(found => Values(
            found.Name, found.Column.Profile, found.Scenario.Tier, Figures.Count(found.Scenario.Operations),
            Figures.Count(found.Scenario.Concurrency),
            Figures.Ms(found.Scenario.DurationMs), Figures.Rate(found.Scenario.ThroughputPerSecond),
            Figures.Latency(found.Scenario.Latency)[1..],
            Figures.Word(found.Scenario.Verdict.Outcome))));

    public ReportTable Phases(IReadOnlyList<string> patterns) =>
        Latencies("phase", patterns, scenario => scenario.Phases);

    public ReportTable Split(IReadOnlyList<string> patterns) =>
        Latencies(
            "server's split", patterns, scenario => scenario.ServerSplit ?? new Dictionary<string, LatencyResult>());

    public ReportTable Counters(IReadOnlyList<string> patterns)
    {
        var found = Matching(patterns).Where(entry => entry.Scenario.Backend is not null).ToList();
        var counters =
            found.SelectMany(entry => entry.Scenario.Backend!.PerOperation.Where(counter => counter.Value is not null)
            .Select(counter => counter.Key)).Distinct().ToList();
        return Untitled(
            [
                Text("scenario"), Text("profile"), new("throughput", "/s"), new("p95", "ms"),
                .. counters.Select(counter => new ReportColumn(counter)), Text("top wait"),
            ],
            found.Select(entry => Values(
                entry.Name, entry.Column.Profile, Figures.Rate(entry.Scenario.ThroughputPerSecond),
                Figures.Ms(entry.Scenario.Latency.P95Ms),
                counters.Select(
                    counter => Figures.Counter(entry.Scenario.Backend!.PerOperation.GetValueOrDefault(counter))),
                Figures.TopWait(entry.Scenario.Backend))));
    }

    /// <summary>Which wait led in how many scenarios, by profile.</summary>
    public ReportTable Waits(IReadOnlyList<string> patterns) => Untitled(
        [Text("profile"), Text("top wait"), new("scenarios"), Text("which")],
        Matching(patterns).Where(found => found.Scenario.Backend?.Waits.Count > 0)
            .GroupBy(found => (found.Column.Profile, Wait: found.Scenario.Backend!.Waits[0].Name))
            .OrderBy(group => columns.FindIndex(column => column.Profile == group.Key.Profile))
            .ThenByDescending(group => group.Count())
            .Select(group => Values(
                group.Key.Profile, group.Key.Wait, group.Count().ToString(CultureInfo.InvariantCulture),
                string.Join(", ", group.Select(found => found.Name)))));

    /// <summary>Of each scenario that was examined; one in which nothing is guilty says so.</summary>
    public ReportTable Findings(IReadOnlyList<string> patterns) => Untitled(
        [
            Text("scenario"), Text("profile"), new("rank"), Text("resource"), new("impact", "ms per op"),
            new("share of response"),
            Text("confidence"),
        ],
        from found in Matching(patterns)
        where found.Scenario.Findings is not null
        from finding in found.Scenario.Findings!.Ranked.DefaultIfEmpty()
        select Values(
            found.Name, found.Column.Profile, Figures.Count(finding?.Rank), finding?.Resource ?? "no bottleneck",
            Figures.Ms(1000 * finding?.ImpactSecondsPerOperation), Figures.Percent(finding?.ShareOfResponseTime),
            finding is null ? Figures.Absent : Figures.Word(finding.Confidence)));

    public ReportTable Ladders() => Untitled(
        [Text("ladder"), Text("finding"), new("limit", "/s"), new("bracket", "/s"), Text("bound by"),
            Text("next limit")],
        from run in all
        from ladder in run.Capacity
        select Values(
            ladder.Name, ladder.SentenceWithViolations(), Figures.Rate(ladder.LimitPerSecond),
            ladder.Bracket is { } bracket ? Figures.Bracket(bracket) : Figures.Absent,
            ladder.BoundBy ?? Figures.Absent, ladder.NextLimit ?? Figures.Absent));

    public ReportTable Sizing() => Untitled(
        [Text("first sizing note")],
        all.SelectMany(SizingNote.Of).Select(note => Values((object)note)));

    public ReportTable Ledger(IReadOnlyList<string> patterns)
    {
        var found = Matching(patterns).Where(entry => entry.Scenario.Ledger is not null).ToList();
        var ledgers = LedgerColumns.Of(found.Select(entry => entry.Scenario.Ledger!));
        return Untitled(
            [Text("scenario"), Text("profile"), Text("account"), .. ledgers.Columns],
            found.Select(entry => Values(
                entry.Name, entry.Column.Profile, LedgerColumns.Account(entry.Scenario.Ledger!),
                ledgers.Cells(entry.Scenario.Ledger!))));
    }

    public ReportTable Remarks() => Untitled(
        [Text("run"), Text("remark")],
        all.SelectMany(run => run.Notes.Select(note => Values(run.RunId, note))));

    private ReportTable Latencies(
        string what, IReadOnlyList<string> patterns,
        Func<ScenarioResult, IReadOnlyDictionary<string, LatencyResult>> of) => Untitled(
        [Text("scenario"), Text(what), Text("profile"), .. Latency],
        Matching(patterns).GroupBy(found => found.Name).SelectMany(group =>
            group.SelectMany(found => of(found.Scenario).Keys).Distinct().SelectMany(phase => group
                .Where(found => of(found.Scenario).ContainsKey(phase))
                .Select(found => (found.Column.Profile, Latency: of(found.Scenario)[phase]))
                .Select(found => Values(group.Key, phase, found.Profile, Figures.Latency(found.Latency))))));

    private IEnumerable<(string Name, DocumentColumn Column, ScenarioResult Scenario)> Matching(
        IReadOnlyList<string> patterns) =>
        from name in names
        where RunSelection.Matches(patterns, name)
        from column in columns
        let scenario = column.Find(name)
        where scenario is not null
        select (name, column, scenario);

    /// <summary>Cells in their order; several at once as a sequence.</summary>
    private static ReportRow Values(params IEnumerable<object> cells) =>
        new(ReportRowKind.Values, [.. cells.SelectMany(cell => cell as IEnumerable<string> ?? [(string)cell])]);
}

/// <summary>One profile of the runs that hold it, as a column or a row of a document.</summary>
internal sealed class DocumentColumn
{
    private readonly ILookup<string, ScenarioResult> scenarios;

    public DocumentColumn(string profile, IReadOnlyList<RunResult> runs)
    {
        (Profile, Runs) = (profile, runs);
        scenarios = runs.SelectMany(run => run.Scenarios).Where(scenario => scenario.Profile == profile)
            .ToLookup(scenario => scenario.NameWithoutProfile());
    }

    public string Profile { get; }
    public IReadOnlyList<RunResult> Runs { get; }
    public BackendInfo? Backend =>
        Runs.Select(run => run.Environment.Backends.GetValueOrDefault(Profile) ?? run.Environment.Backend)
        .FirstOrDefault(backend => backend is not null);
    public IEnumerable<string> Names => scenarios.Select(group => group.Key);

    /// <summary>The newest result of a scenario in the last of the runs that hold it; null when none does.</summary>
    public ScenarioResult? Find(string name) => scenarios[name].LastOrDefault();
}

using LoadTesting.Core.Analysis.Findings;
using static LoadTesting.Core.Reporting.Tables.ComparisonTableColumn;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>The tables a document can ask for.</summary>
internal sealed class DocumentFigures
{
    private static readonly ComparisonTableColumn[] Latency =
    [
        new("avg", "ms"), new("p50", "ms"), new("p95", "ms"), new("p99", "ms"), new("max", "ms"),
    ];
    private readonly IReadOnlyList<RunResult> all;
    private readonly List<DocumentColumn> columns;
    private readonly List<string> names;

    public DocumentFigures(IReadOnlyList<RunResult> given)
    {
        RunResult[] runs = [.. given.Select(run => run.InReadingOrder())];
        all = runs;
        columns = [.. runs.SelectMany(run => run.Scenarios.Select(scenario => scenario.Profile)).Distinct()
            .Select(profile =>
                new DocumentColumn(profile, [.. runs.Where(run => run.Scenarios.Any(scenario => scenario.Profile == profile))]))];
        names = [.. columns.SelectMany(column => column.Names).Distinct()];
    }

    public IEnumerable<ComparisonTable> Metadata()
    {
        foreach (var run in all)
        {
            yield return Table([Words("what"), Words("value")], EnvironmentFacts.Of(run).Where(fact => fact.Value is not "unknown")
                .Select(fact => Values(fact.Name, fact.Value)));
        }

        yield return Table(
            [Words("profile"), Words("backend"), Words("durability"), Words("provided by"), Words("settings")],
            columns.Select(column => Values(
                column.Profile,
                string.Join(" ", new[] { column.Backend?.Product, column.Backend?.Version }.OfType<string>()),
                column.Backend?.Durability ?? "not recorded",
                column.Backend?.Provision ?? "not recorded",
                string.Join(", ", column.Backend?.Settings.Select(setting => $"{setting.Key} = {setting.Value}") ?? []))));
    }

    public IEnumerable<ComparisonTable> Ceilings() =>
    [
        Table(
            [
                Words("profile"), new("fsync", "/s"), new("one-row commits", "/s"), new("concurrent commits", "/s"), new("clients"),
                new("round trip", "ms"),
                new("empty HTTP", "/s"), new("transport alone", "events/s"), new("transport alone, one", "ms"),
            ],
            columns.SelectMany(column =>
                column.Runs.Select(run => (column.Profile, Ceilings: run.CeilingsByProfile.GetValueOrDefault(column.Profile))))
                .Where(entry => entry.Ceilings is not null)
                .Select(entry => Values(
                    entry.Profile, Figures.Rate(entry.Ceilings!.FsyncPerSecond), Figures.Rate(entry.Ceilings.CommitsPerSecond),
                    Figures.Rate(entry.Ceilings.ConcurrentCommitsPerSecond), Figures.Count(entry.Ceilings.ConcurrentClients),
                    Figures.Ms(entry.Ceilings.RoundTripMs), Figures.Rate(entry.Ceilings.EmptyHttpPerSecond),
                    Figures.Rate(entry.Ceilings.TransportEventsPerSecond), Figures.Ms(entry.Ceilings.TransportMs)))),
    ];

    public ComparisonTable Shares(IReadOnlyList<string> patterns)
    {
        var found = Matching(patterns).Where(entry => entry.Scenario.CeilingShares.Count > 0).ToList();
        var shares = CeilingShares.Columns(found.Select(entry => entry.Scenario));
        return Table(
            [
                Words("scenario"), Words("profile"), new("throughput", "/s"),
                .. shares.Select(share => new ComparisonTableColumn(share.Header)),
            ],
            found.Select(entry => Values(
                entry.Name, entry.Column.Profile, Figures.Rate(entry.Scenario.ThroughputPerSecond),
                shares.Select(share => CeilingShares.Cell(entry.Scenario, share.Name)))));
    }

    public ComparisonTable Summary(IReadOnlyList<string> patterns) => Table(
        [
            Words("scenario"), Words("profile"), Words("tier"), new("ops"), new("conc"), new("duration", "ms"), new("throughput", "/s"),
            .. Latency, Words("verdict"),
        ],
        Matching(patterns).Select(found => Values(
            found.Name, found.Column.Profile, found.Scenario.Tier, Figures.Count(found.Scenario.Operations),
            Figures.Count(found.Scenario.Concurrency),
            Figures.Ms(found.Scenario.DurationMs), Figures.Rate(found.Scenario.ThroughputPerSecond),
            Figures.Latency(found.Scenario.Latency)[1..],
            Figures.Word(found.Scenario.Verdict.Outcome))));

    public ComparisonTable Phases(IReadOnlyList<string> patterns) => Latencies("phase", patterns, scenario => scenario.Phases);

    public ComparisonTable Split(IReadOnlyList<string> patterns) =>
        Latencies("server's split", patterns, scenario => scenario.ServerSplit ?? new Dictionary<string, LatencyResult>());

    public ComparisonTable Counters(IReadOnlyList<string> patterns)
    {
        var found = Matching(patterns).Where(entry => entry.Scenario.Backend is not null).ToList();
        var counters = found.SelectMany(entry => entry.Scenario.Backend!.PerOperation.Where(counter => counter.Value is not null)
            .Select(counter => counter.Key)).Distinct().ToList();
        return Table(
            [
                Words("scenario"), Words("profile"), new("throughput", "/s"), new("p95", "ms"),
                .. counters.Select(counter => new ComparisonTableColumn(counter)), Words("top wait"),
            ],
            found.Select(entry => Values(
                entry.Name, entry.Column.Profile, Figures.Rate(entry.Scenario.ThroughputPerSecond),
                Figures.Ms(entry.Scenario.Latency.P95Ms),
                counters.Select(counter => Figures.Counter(entry.Scenario.Backend!.PerOperation.GetValueOrDefault(counter))),
                Figures.TopWait(entry.Scenario.Backend))));
    }

    /// <summary>Which wait led in how many scenarios, by profile.</summary>
    public ComparisonTable Waits(IReadOnlyList<string> patterns) => Table(
        [Words("profile"), Words("top wait"), new("scenarios"), Words("which")],
        Matching(patterns).Where(found => found.Scenario.Backend?.Waits.Count > 0)
            .GroupBy(found => (found.Column.Profile, Wait: found.Scenario.Backend!.Waits[0].Name))
            .OrderBy(group => columns.FindIndex(column => column.Profile == group.Key.Profile)).ThenByDescending(group => group.Count())
            .Select(group => Values(
                group.Key.Profile, group.Key.Wait, group.Count().ToString(CultureInfo.InvariantCulture),
                string.Join(", ", group.Select(found => found.Name)))));

    /// <summary>Of each scenario that was examined; one in which nothing is guilty says so.</summary>
    public ComparisonTable Findings(IReadOnlyList<string> patterns) => Table(
        [
            Words("scenario"), Words("profile"), new("rank"), Words("resource"), new("impact", "ms per op"), new("share of response"),
            Words("confidence"),
        ],
        from found in Matching(patterns)
        where found.Scenario.Findings is not null
        from finding in found.Scenario.Findings!.Ranked.DefaultIfEmpty()
        select Values(
            found.Name, found.Column.Profile, Figures.Count(finding?.Rank), finding?.Resource ?? "none is guilty",
            Figures.Ms(1000 * finding?.ImpactSecondsPerOperation), Figures.Percent(finding?.ShareOfResponseTime),
            finding is null ? Figures.Absent : FindingWords.Word(finding.Confidence)));

    public ComparisonTable Ladders() => Table(
        [Words("ladder"), Words("finding"), new("limit", "/s"), new("bracket", "/s"), Words("bound by"), Words("next limit")],
        from run in all
        from ladder in run.Capacity
        select Values(
            ladder.Name, CapacityWords.Of(ladder), Figures.Rate(ladder.LimitPerSecond),
            ladder.Bracket is { } bracket ? $"{Figures.Rate(bracket.Low)} .. {Figures.Rate(bracket.High)}" : Figures.Absent,
            ladder.BoundBy ?? Figures.Absent, ladder.NextLimit ?? Figures.Absent));

    public ComparisonTable Sizing() => Table(
        [Words("first sizing note")],
        all.SelectMany(SizingNote.Of).Select(note => Values((object)note)));

    public ComparisonTable Ledger(IReadOnlyList<string> patterns)
    {
        var found = Matching(patterns).Where(entry => entry.Scenario.Ledger is not null)
            .Select(entry => (entry.Name, entry.Column.Profile, Ledger: entry.Scenario.Ledger!,
                Counts: entry.Scenario.Ledger!.Counts().ToDictionary())).ToList();
        var counts = LedgerColumns.Of(found.Select(entry => entry.Ledger)).Shown;
        return Table(
            [Words("scenario"), Words("profile"), Words("account"), .. counts.Select(count => new ComparisonTableColumn(count))],
            found.Select(entry => Values(
                entry.Name, entry.Profile, entry.Ledger.Balanced ? "balanced" : "NOT BALANCED",
                counts.Select(count => Figures.Count(entry.Counts[count])))));
    }

    public ComparisonTable Remarks() => Table(
        [Words("run"), Words("remark")],
        all.SelectMany(run => run.Notes.Select(note => Values(run.RunId, note))));

    private ComparisonTable Latencies(
        string what, IReadOnlyList<string> patterns, Func<ScenarioResult, IReadOnlyDictionary<string, LatencyResult>> of) => Table(
        [Words("scenario"), Words(what), Words("profile"), new("n"), .. Latency],
        Matching(patterns).GroupBy(found => found.Name).SelectMany(group =>
            group.SelectMany(found => of(found.Scenario).Keys).Distinct().SelectMany(phase => group
                .Where(found => of(found.Scenario).ContainsKey(phase))
                .Select(found => (found.Column.Profile, Latency: of(found.Scenario)[phase]))
                .Select(found => Values(group.Key, phase, found.Profile, Figures.Latency(found.Latency))))));

    private IEnumerable<(string Name, DocumentColumn Column, ScenarioResult Scenario)> Matching(IReadOnlyList<string> patterns) =>
        from name in names
        where RunSelection.Matches(patterns, name)
        from column in columns
        let scenario = column.Find(name)
        where scenario is not null
        select (name, column, scenario);

    private static ComparisonTable Table(IReadOnlyList<ComparisonTableColumn> columns, IEnumerable<ComparisonTableRow> rows) =>
        new("", null, columns, [.. rows]);

    /// <summary>Cells in their order; several at once as a sequence.</summary>
    private static ComparisonTableRow Values(params IEnumerable<object> cells) =>
        new(ComparisonRowKind.Values, [.. cells.SelectMany(cell => cell as IEnumerable<string> ?? [(string)cell])]);
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
    public BackendInfo? Backend => Runs.Select(run => run.Environment.Backends.GetValueOrDefault(Profile) ?? run.Environment.Backend)
        .FirstOrDefault(backend => backend is not null);
    public IEnumerable<string> Names => scenarios.Select(group => group.Key);

    /// <summary>The newest result of a scenario in the last of the runs that hold it; null when none does.</summary>
    public ScenarioResult? Find(string name) => scenarios[name].LastOrDefault();
}

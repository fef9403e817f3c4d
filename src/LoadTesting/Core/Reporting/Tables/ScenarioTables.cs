using static LoadTesting.Core.Reporting.Tables.ReportColumn;
using static LoadTesting.Core.Reporting.Tables.ReportRow;

namespace LoadTesting.Core.Reporting.Tables;

/// <summary>What a report says of one scenario besides its latency, as tables.</summary>
internal static class ScenarioTables
{
    /// <summary>Thresholds, errors, findings, checks and leaks: text beside figures.</summary>
    public static IReadOnlyList<ReportTable> Wide(ScenarioResult scenario) =>
        ReportTable.Filled(Thresholds(scenario), Errors(scenario), Findings(scenario), Checks(scenario),
            Leaks(scenario));

    /// <summary>Names and values, narrow enough to stand side by side.</summary>
    public static IReadOnlyList<ReportTable> Narrow(ScenarioResult scenario) => ReportTable.Filled(
        Conditions(scenario), Ledger(scenario), Generator(scenario), Counters(scenario), Shares(scenario),
        Processes(scenario));

    private static ReportTable Conditions(ScenarioResult scenario) => Values("Conditions", null, "Setting",
        [
            ("tier", scenario.Tier), ("hosting", Figures.Word(scenario.Hosting)), ("load", scenario.LoadModel),
            ("load engine", scenario.LoadEngine), ("operations", Figures.Count(scenario.Operations)),
            ("in flight, at most", Figures.Count(scenario.Concurrency)),
            ("workers", Figures.Count(scenario.SignalWorkers)), ("lanes", Figures.Count(scenario.Lanes)),
            ("duration, ms", Figures.Ms(scenario.DurationMs)),
            ("requests", scenario.Requests is null ? Figures.Absent : RequestTable.Line(scenario)),
        ],
        scenario.Notes);

    private static ReportTable Ledger(ScenarioResult scenario)
    {
        if (scenario.Ledger is not { } ledger)
        {
            return Values("Ledger", null, "Account", [], [ReportText.NoLedger]);
        }

        var columns = LedgerColumns.Of([ledger]);
        return Values($"Ledger: {LedgerColumns.Account(ledger)}",
            ReportText.Ledger,
            "Account", [.. columns.Shown.Zip(columns.Cells(ledger))], ledger.Violations());
    }

    private static ReportTable Generator(ScenarioResult scenario)
    {
        if (scenario.Generator is not { } generator)
        {
            return Values("Generator", null, "Figure", [], [ReportText.NoGenerator]);
        }

        string?[] remarks =
        [
            generator.Pool == PoolState.StarvedBySystem
                ? ReportText.SharedPool : null,
            generator.StopReason is { } reason ? $"Stopped early: {reason}" : null,
            .. generator.Evidence,
        ];
        return Values($"Generator: {Figures.Word(generator.Health)}", null, "Figure",
            [
                ("achieved of intended rate", Figures.Percent(generator.AchievedRatio)),
                ("schedule lag p99, ms", Figures.Ms(generator.ScheduleLagP99Ms)),
                ("lag, share of response", Figures.Percent(generator.ScheduleLagShare)),
                ("dropped", Figures.Count(generator.Dropped)),
                ("CPU per core", Figures.Percent(generator.CpuShare)),
                ("GC pauses", Figures.Percent(generator.GcPauseShare)),
                ("thread pool queue, items", Figures.Count(generator.ThreadPoolQueueMax)),
                ("thread pool delay p99, ms", Figures.Ms(generator.PoolDelayP99Ms)),
                ("timer jitter maximum, ms", Figures.Ms(generator.JitterMaxMs)),
            ],
            remarks.OfType<string>());
    }

    private static ReportTable Counters(ScenarioResult scenario) => Values(
        "Backend counters per completed operation", null, "Counter",
        [.. scenario.Backend?.PerOperation.Select(counter => (counter.Key, Figures.Counter(counter.Value))) ?? []],
        scenario.Backend is not { } backend ? []
            :
            [
                backend.Waits.Count == 0 ? ReportText.NoWaits : "Waits: " + string.Join(", ",
                    backend.Waits.Take(3).Select(wait => $"{wait.Name} {Figures.Percent(wait.Share)}")),
                .. backend.Notes.Distinct(),
            ]);

    private static ReportTable Shares(ScenarioResult scenario) => Values(
        "Throughput as a share of each ceiling",
        ReportText.Ceilings, "Ceiling",
        [
            .. CeilingShares.Columns([scenario])
                .Select(share => (share.Header, CeilingShares.Cell(scenario, share.Name))),
        ], []);

    private static ReportTable Processes(ScenarioResult scenario) => Values(
        "Processor and memory of the processes", null, "Process",
        scenario.Resources is not { } resources ? []
            :
            [
                .. new[]
                {
                    ("generator", resources.Generator), ("service", resources.Service),
                    ("database", resources.Database),
                }
                .Where(process => process.Item2.Count > 0)
                .Select(process => (process.Item1, string.Join(", ",
                    process.Item2.Select(figure => Figures.Named(figure.Key, figure.Value))))),
            ], []);

    private static ReportTable Thresholds(ScenarioResult scenario) => new(
        "Thresholds", null, [Text("Threshold"), Text("Outcome"), Text("Limit"), new("Measured"), new("n")],
        [
            .. (scenario.Thresholds ?? []).Select(rule => ReportRow.Values(
                rule.Metric, TimelineText.Word(rule.Outcome), rule.Limit, Figures.Counter(rule.Measured),
                Figures.Count(rule.N))),
        ]);

    private static ReportTable Errors(ScenarioResult scenario) => new(
        "Errors by code and message", null, [Text("Code"), Text("Message"), new("Count")],
        [
            .. (scenario.Errors ?? []).Select(error => ReportRow.Values(
                error.Code.Length == 0 ? Figures.Absent : error.Code, error.Message, Figures.Count(error.Count))),
        ]);

    private static ReportTable Findings(ScenarioResult scenario)
    {
        if (scenario.Findings is not { } findings)
        {
            return ReportTable.Untitled([], []);
        }

        var names = FindingText.Resources([scenario]);
        var evidence = findings.Ranked.ToDictionary(finding => finding.Resource,
            finding => string.Join(" ", [.. finding.Evidence, finding.Suggestion]));
        var rows = findings.Resources
            .Where(resource => names.Contains(resource.Resource) || evidence.ContainsKey(resource.Resource))
            .OrderByDescending(resource => resource.ImpactSecondsPerOperation).ToList();
        return new(
            $"Where the response time goes: mean {Figures.Ms(1000 * findings.ResponseSeconds)} ms",
            FindingText.Answer(findings),
            [Text("Resource"), Text("State"), new("Per operation", "ms"), new("Share"), Text("Confidence")],
            [
                .. findings.Ranked.Where(finding => rows.All(row => row.Resource != finding.Resource))
                    .SelectMany(finding => new[]
                    {
                        ReportRow.Values(finding.Resource, "bottleneck",
                            Figures.Ms(1000 * finding.ImpactSecondsPerOperation),
                            Figures.Percent(finding.ShareOfResponseTime), Figures.Word(finding.Confidence)),
                        Detail(evidence[finding.Resource]),
                    }),
                .. rows.SelectMany(resource => ResourceRows(findings, resource, evidence)),
                ReportRow.Values("unexplained", "", Figures.Ms(1000 * findings.UnexplainedSeconds),
                    Figures.Percent(findings.UnexplainedSeconds / findings.ResponseSeconds), ""),
                .. FindingText.Unexamined([scenario]).Select(Detail),
            ]);
    }

    private static IEnumerable<ReportRow> ResourceRows(
        FindingsResult findings, ResourceResult resource, Dictionary<string, string> evidence)
    {
        var ranked = findings.Ranked.FirstOrDefault(finding => finding.Resource == resource.Resource);
        yield return ReportRow.Values(resource.Resource, ranked is null ? "no bottleneck" : "bottleneck",
            Figures.Ms(1000 * resource.ImpactSecondsPerOperation), FindingText.Share(findings, resource),
            ranked is null ? "" : Figures.Word(ranked.Confidence));
        if (ranked is not null)
        {
            yield return Detail(evidence[resource.Resource]);
        }
    }

    private static ReportTable Checks(ScenarioResult scenario)
    {
        if (scenario.Validity is not { } validity)
        {
            return ReportTable.Untitled([], []);
        }

        var law = validity.LittlesLaw;
        var cells = ValidityText.Cells(validity);
        return new(
            $"Validity: {(validity.Valid ? "valid" : "invalid")}, checks passed {cells[0]}",
            ReportText.Checks
                + (law is null ? "" : $" In flight by Little's law: {cells[1]} by the service, {cells[2]} by the "
                    + $"client, {cells[3]} apart.")
                + (validity.WarmUp is null ? "" : $" Warm-up cut: {cells[4]}."),
            [Text("Check"), Text("Outcome"), Text("Finding")],
            [
                .. validity.Checks.Concat(validity.Environment).Select(check =>
                    ReportRow.Values(check.Name, ValidityText.Outcome(check.Outcome), check.Reason)),
                .. validity.Vetoes.Select(veto => Detail("Veto: " + veto)),
            ]);
    }

    private static ReportTable Leaks(ScenarioResult scenario) => new(
        "Growth over the soak, Theil-Sen slope", null,
        [
            Text("Resource"), Text("Leak"), new("Start"), new("Growth"), new("99 % from"), new("to"), new("Allowed"),
            new("Over", "s"),
        ],
        [
            .. (scenario.Validity?.Leaks ?? []).Select(leak => ReportRow.Values(
            [
                ValidityText.Resource(leak), leak.Leaks ? "grows" : "none",
                .. new[] { leak.Start, leak.Growth, leak.GrowthLow, leak.GrowthHigh, leak.Limit }
                    .Select(amount => ValidityText.Amount(leak, amount)),
                Figures.Count((long)leak.SpanSeconds),
            ])),
        ]);

    /// <summary>Names and known values, with remarks below.</summary>
    private static ReportTable Values(
        string title, string? note, string name, IEnumerable<(string Name, string Value)> values,
        IEnumerable<string> remarks) => new(
        title, note, [Text(name), Text("Value")],
        [
            .. values.Where(value => value.Value.Length > 0 && value.Value != Figures.Absent)
                .Select(value => ReportRow.Values(value.Name, value.Value)),
            .. remarks.Select(Detail),
        ]);
}

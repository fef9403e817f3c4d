namespace LoadTesting.Core.Reporting;

/// <summary>Scenarios and runs in a few plain lines, for a terminal or a log.</summary>
public static class TerminalSummary
{
    private const int MostNames = 8;

    /// <summary>Verdict and key figures in one line. A scenario that did not pass has a line for each reason.</summary>
    public static string Line(ScenarioResult scenario)
    {
        var text = new StringBuilder(Head(scenario));
        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            Reasons(text, scenario);
        }

        return text.ToString();
    }

    /// <summary>Verdict, figures, phases, ledger, what is wrong, and where the report is.</summary>
    /// <param name="reportPath">Path of the report, printed as given.</param>
    public static string Of(ScenarioResult scenario, string reportPath)
    {
        var text = new StringBuilder(Head(scenario)).Append('\n');
        if (scenario.Phases.Count > 0)
        {
            text.Append("  phases p50: ");
            text.AppendJoin(", ",
                scenario.Phases.Select(phase => $"{VisibleText.Line(phase.Key)} {Figures.Ms(phase.Value.P50Ms)} ms"));
            text.Append('\n');
        }

        if (scenario.Requests is not null)
        {
            text.Append("  requests: ").Append(RequestTable.Line(scenario)).Append('\n');
        }

        text.Append("  ledger: ").Append(LedgerLine(scenario.Ledger));
        Reasons(text, scenario);
        return text.Append("\n  report: ").Append(reportPath).ToString();
    }

    /// <summary>
    /// A run in at most ten lines: verdict, operations, worst p95, what did not pass, what was not exercised, and where
    /// the report is.
    /// </summary>
    /// <param name="reportPath">Path of the report, printed as given.</param>
    public static string Of(RunResult run, string reportPath)
    {
        var verdicts = RunVerdicts.Of(run);
        var ledgers = run.Scenarios.Select(scenario => scenario.Ledger).OfType<LedgerResult>().ToList();
        var worst = run.Scenarios.Where(scenario => scenario.Latency.P95Ms is not null)
            .MaxBy(scenario => scenario.Latency.P95Ms);
        var lines = new List<string>
        {
            $"{Word(RunVerdicts.Worst(run))} {ScenarioCounts.Of(run)}",
            Row("operations", Operations(ledgers)),
            Row("worst p95", worst is null
                ? Figures.Absent
                : $"{Figures.Ms(worst.Latency.P95Ms)} ms, {VisibleText.Line(worst.Name)}, "
                    + $"n {Figures.Count(worst.Latency.N)}"),
        };
        if (run.Partial is { } partial)
        {
            lines.Add(Row("partial", VisibleText.Line(partial)));
        }

        foreach (var outcome in new[] { VerdictOutcome.Failed, VerdictOutcome.Inconclusive })
        {
            if (verdicts.Any(verdict => verdict.Outcome == outcome))
            {
                var names = verdicts.Where(verdict => verdict.Outcome == outcome).Select(verdict => verdict.Name);
                lines.Add(Row(Figures.Word(outcome), List(names)));
            }
        }

        var absent = run.NotExercised.Select(entry => entry.Profile).Distinct().ToList();
        lines.Add(Row("not exercised", absent.Count == 0 ? "nothing" : List(absent)));
        lines.Add(Row("report", reportPath));
        return string.Join('\n', lines);
    }

    private static string Head(ScenarioResult scenario)
    {
        var latency = scenario.Latency;
        return $"{Word(scenario.Verdict.Outcome)} {VisibleText.Line(scenario.Name)} "
            + $"({Figures.Word(scenario.Hosting)}): n {Figures.Count(latency.N)}, "
            + $"{Figures.Rate(scenario.ThroughputPerSecond)}/s, "
            + Figures.LatencyText(latency);
    }

    private static void Reasons(StringBuilder text, ScenarioResult scenario)
    {
        foreach (var reason in scenario.Verdict.Reasons.Concat(scenario.Ledger?.Violations() ?? []).Distinct())
        {
            text.Append("\n  ! ").Append(VisibleText.Line(reason));
        }
    }

    private static string Operations(IReadOnlyList<LedgerResult> ledgers)
    {
        var completed = Figures.Count(ledgers.Sum(ledger => ledger.Completed));
        var requested = Figures.Count(ledgers.Sum(ledger => ledger.Requested));
        var unbalanced = ledgers.Count(ledger => !ledger.Balanced);
        return $"{completed} of {requested} completed, "
            + (unbalanced == 0 ? "every ledger balanced" : $"{Quantity.Of(unbalanced, "ledger")} NOT BALANCED");
    }

    private static string Row(string name, string value) => $"  {name + ":",-15}{value}";

    /// <summary>The first names of many.</summary>
    private static string List(IEnumerable<string> names)
    {
        string[] all = [.. names.Select(VisibleText.Line)];
        return string.Join(", ", all.Take(MostNames))
            + (all.Length > MostNames ? $" and {all.Length - MostNames} more" : "");
    }

    private static string Word(VerdictOutcome? outcome) =>
        outcome is { } known ? Figures.Word(known).ToUpperInvariant() : "NO VERDICT";

    private static string LedgerLine(LedgerResult? ledger)
    {
        if (ledger is null)
        {
            return "not kept";
        }

        string[] always = ["requested", "started", "completed"];
        var counts = ledger.Counts().Where(count => count.Value != 0 || always.Contains(count.Key))
            .Select(count => $"{count.Key} {Figures.Count(count.Value)}");
        return string.Join(", ", counts) + $", {LedgerColumns.Account(ledger)}";
    }
}

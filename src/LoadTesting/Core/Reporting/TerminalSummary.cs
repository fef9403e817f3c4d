namespace LoadTesting.Core.Reporting;

/// <summary>A scenario in a few plain lines, for the output of a test.</summary>
public static class TerminalSummary
{
    /// <summary>Verdict, figures, phases, ledger, what is wrong, and where the report is.</summary>
    /// <param name="reportPath">Path of the report, printed as given.</param>
    public static string Of(ScenarioResult scenario, string reportPath)
    {
        var latency = scenario.Latency;
        var text = new StringBuilder();
        text.Append($"{Figures.Word(scenario.Verdict.Outcome).ToUpperInvariant()} {VisibleText.Line(scenario.Name)} ");
        text.Append($"({Figures.Word(scenario.Hosting)}): ");
        text.Append($"n {Figures.Count(latency.N)}, {Figures.Rate(scenario.ThroughputPerSecond)}/s, ");
        text.Append($"{Figures.LatencyText(latency)}\n");
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

        text.Append("  ledger: ").Append(LedgerLine(scenario.Ledger)).Append('\n');
        foreach (var reason in scenario.Verdict.Reasons.Concat(scenario.Ledger?.Violations() ?? []).Distinct())
        {
            text.Append("  ! ").Append(VisibleText.Line(reason)).Append('\n');
        }

        return text.Append("  report: ").Append(reportPath).ToString();
    }

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

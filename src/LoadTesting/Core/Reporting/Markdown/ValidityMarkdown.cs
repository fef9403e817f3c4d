using System.Text;
using LoadTesting.Core.Reporting.Tables;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>Validity in a summary: a row a scenario, and below it what failed, what disturbed and what grew.</summary>
internal static class ValidityMarkdown
{
    public static void Append(StringBuilder text, RunResult run)
    {
        var judged = run.Scenarios.Where(scenario => scenario.Validity is not null).ToList();
        if (judged.Count == 0)
        {
            return;
        }

        text.Append("\n## Validity\n\n| scenario | valid | checks passed | in flight, service | in flight, client | apart | warm-up | vetoes |\n");
        text.Append("|---|---|---:|---:|---:|---:|---:|---:|\n");
        foreach (var scenario in judged)
        {
            var validity = scenario.Validity!;
            var law = validity.LittlesLaw;
            string[] figures =
            [
                ValidityWords.Passed(validity), Figures.Counter(law?.ServiceInFlight), Figures.Counter(law?.ClientInFlight), Figures.Percent(law?.RelativeError),
                ValidityWords.WarmUp(validity.WarmUp), Figures.Count(validity.Vetoes.Count),
            ];
            text.Append($"| {SummaryMarkdown.Plain(scenario.Name)} | {(validity.Valid ? "yes" : "**no**")} | ").AppendJoin(" | ", figures).Append(" |\n");
        }

        var remarks = judged.SelectMany(scenario => Remarks(scenario.Validity!).Select(remark => $"- {SummaryMarkdown.Plain($"{scenario.Name}: {remark}")}\n")).ToList();
        text.Append(remarks.Count > 0 ? "\n" : "").AppendJoin("", remarks);
    }

    private static IEnumerable<string> Remarks(ValidityResult validity) =>
    [
        .. validity.Checks.Where(check => check.Outcome == CheckOutcome.Failed).Select(check => $"{check.Name}: {check.Reason}"),
        .. validity.Vetoes,
        .. (validity.Leaks ?? []).Select(leak =>
            $"{ValidityWords.Resource(leak)}: {ValidityWords.Amount(leak, leak.Start)}, growth {ValidityWords.Amount(leak, leak.Growth)} " +
            $"(99 %: {ValidityWords.Amount(leak, leak.GrowthLow)} to {ValidityWords.Amount(leak, leak.GrowthHigh)}), allowed {ValidityWords.Amount(leak, leak.Limit)}"),
    ];
}

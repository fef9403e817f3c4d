using LoadTesting.Core.Results;

namespace LoadTesting.Core.Reporting.Html;

/// <summary>The words of the page, for a reader who sees one for the first time.</summary>
internal static class ReadingSection
{
    private static readonly (string Word, string Meaning)[] Words =
    [
        ("passed, failed, inconclusive", "Failed: something is wrong, or a limit was missed. Inconclusive: the measurement says nothing about the system, " +
            "mostly because the generator was the limit; it is neither good nor bad news."),
        ("n", "How many operations a figure rests on. With 12 samples p95 is the largest or second largest of twelve: an anecdote, not a percentile."),
        ("p50, p95, p99", "Half, 95 % and 99 % of the operations were at least this fast. The average hides the slow ones; the maximum is one operation."),
        ("throughput", "Completed operations divided by the real time of the measured part."),
        ("open, closed", "Open: operations start on a schedule, and latency counts from the intended start, so a stall shows in full. " +
            "Closed: the next starts when one ends, so a stall slows the load too and hides most of itself."),
        ("durability", "What a commit survives. Figures of backends of unlike durability stand side by side but are not ranked."),
        ("schedule lag", "From the intended to the actual start of an operation: the generator's own lateness."),
        ("ceiling", "What the disk, the database or the HTTP server does by itself on this machine. A share of it carries over to other machines better than a time."),
        ("–", "Not measured, or not applicable; run.json says why."),
    ];

    public static void Write(HtmlWriter html, RunResult run)
    {
        html.Open("dl");
        foreach (var (word, meaning) in Words)
        {
            html.Element("dt", word).Element("dd", meaning);
        }

        html.Close("dl");
        html.Paragraph($"Schema {run.SchemaVersion}. The figures of this page, the histograms and the raw counters are in run.json beside it.", "quiet");
    }
}

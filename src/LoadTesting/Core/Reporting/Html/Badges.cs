namespace LoadTesting.Core.Reporting.Html;

/// <summary>Findings as a word in a colour; the word alone is enough.</summary>
internal static class Badges
{
    public static HtmlWriter Verdict(this HtmlWriter html, VerdictOutcome outcome) =>
        html.Badge(Figures.Word(outcome), StyleOf(outcome));

    public static string StyleOf(VerdictOutcome outcome) => outcome switch
    {
        VerdictOutcome.Passed => "good",
        VerdictOutcome.Failed => "bad",
        _ => "unsure",
    };
}

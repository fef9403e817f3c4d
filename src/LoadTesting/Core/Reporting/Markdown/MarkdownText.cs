namespace LoadTesting.Core.Reporting.Markdown;

/// <summary>Text that Markdown shows as it stands, in one line.</summary>
public static class MarkdownText
{
    public static string Plain(string value)
    {
        value = VisibleText.Line(value);
        var plain = new StringBuilder(value.Length);
        for (var index = 0; index < value.Length; index++)
        {
            var c = value[index];
            plain.Append(c switch
            {
                '_' => IsInsideWord(value, index) ? "_" : "\\_",
                '<' => "&lt;",
                '&' => "&amp;",
                '#' when index == 0 => "\\#",
                '>' when index == 0 => "&gt;",
                '|' or '\\' or '`' or '*' or '[' or ']' => "\\" + c,
                _ => c.ToString(),
            });
        }

        return plain.ToString();
    }

    // Between letters or digits an underscore is only itself, and setting names stay readable in the raw text.
    private static bool IsInsideWord(string value, int index) =>
        index > 0 && index + 1 < value.Length && char.IsLetterOrDigit(value[index - 1])
            && char.IsLetterOrDigit(value[index + 1]);
}

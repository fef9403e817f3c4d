namespace Workflow.Abstractions.Expressions;

/// <summary>
/// Paths such as <c>steps.route.cases[0].when</c>; a name that is not plain stands in brackets and quotes.
/// </summary>
internal static class DefinitionPath
{
    private const int LongestShown = 160;

    public static string Member(string parent, string name)
    {
        if (name.Length is 0 or > LongestShown || !name.All(c => char.IsAsciiLetterOrDigit(c) || c is '_' or '-'))
        {
            return $"{parent}['{Shorten(name)}']";
        }

        return parent.Length == 0 ? name : $"{parent}.{name}";
    }

    public static string Item(string parent, int index) => $"{parent}[{index}]";

    /// <summary>A value as messages show it.</summary>
    public static string Shorten(string text) => StoreLimits.Excerpt(text, LongestShown);
}

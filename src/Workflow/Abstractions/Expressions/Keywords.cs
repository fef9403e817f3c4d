using System.Collections.Frozen;

namespace Workflow.Abstractions.Expressions;

internal static class Keywords
{
    private static readonly FrozenSet<string> All =
        new[] { "true", "false", "null", "and", "or", "if", "then", "else", "in", "between", "not" }
            .ToFrozenSet(StringComparer.Ordinal);

    public static bool Contains(string name) => All.Contains(name);

    /// <summary>
    /// Whether an expression can name it without backticks: a letter or underscore, then letters, digits and
    /// underscores; no keyword.
    /// </summary>
    public static bool IsPlainName(string name) =>
        name.Length > 0 && StartsName(name[0]) && name.All(ContinuesName) && !Contains(name);

    public static bool StartsName(char c) => c == '_' || char.IsLetter(c);
    public static bool ContinuesName(char c) => c == '_' || char.IsLetterOrDigit(c);
}

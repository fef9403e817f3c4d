namespace Workflow.Abstractions.Definitions.Compilation;

/// <summary>Checks names.</summary>
internal static class NameRule
{
    public const int Longest = StoreLimits.MaxName;

    /// <summary>
    /// The problem of the name of a definition, step, signal, event or activity; null if the name is valid.
    /// </summary>
    public static string? Problem(string name) =>
        name.Length is >= 1 and <= Longest && name.All(c => char.IsAsciiLetterOrDigit(c) || c is '.' or '_' or '-')
            ? null
            : $"'{DefinitionPath.Shorten(name)}' is not a name; use 1 to {Longest} letters A-Z a-z, digits, '.', '_' "
                + "and '-'.";

    /// <summary>The problem of the name of a variable; null if the name is valid.</summary>
    public static string? VariableProblem(string name) =>
        name.Length <= Longest && Keywords.IsPlainName(name)
            ? null
            : $"'{DefinitionPath.Shorten(name)}' is not the name of a variable; use 1 to {Longest} letters, digits and "
                + "'_', not beginning with a digit and no keyword of the expression language, so that expressions can "
                + "read it.";
}

using System.IO.Enumeration;

namespace LoadTesting.Core.Analysis;

public static class RunSelection
{
    /// <summary>
    /// The run with those of its scenarios whose full names the patterns ask for, and their profiles with the searches
    /// for a capacity that no pattern takes away.
    /// </summary>
    /// <param name="patterns">
    /// Names, in which <c>*</c> and <c>?</c> stand for characters and a leading <c>!</c> takes away; empty asks for
    /// everything.
    /// </param>
    public static RunResult Of(RunResult run, IReadOnlyList<string> patterns) =>
        patterns.Count == 0
            ? run
            : RunComposition.Part(
                run with { Capacity =
                    [.. run.Capacity.Where(capacity => Matches([.. patterns.Where(IsExclusion)], capacity.Name))] },
                [.. run.Scenarios.Where(scenario => Matches(patterns, scenario.Name))]);

    /// <summary>Whether the patterns ask for a scenario.</summary>
    internal static bool Matches(IReadOnlyList<string> patterns, string name)
    {
        var wanted = patterns.Where(pattern => !IsExclusion(pattern)).ToList();
        return (wanted.Count == 0 || wanted.Any(pattern => IsLike(pattern, name)))
            && !patterns.Any(pattern => IsExclusion(pattern) && IsLike(pattern[1..], name));
    }

    private static bool IsExclusion(string pattern) => pattern.StartsWith('!');

    private static bool IsLike(string pattern, string name) =>
        FileSystemName.MatchesSimpleExpression(pattern, name, ignoreCase: false);
}

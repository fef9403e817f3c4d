using System.IO.Enumeration;
using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis;

/// <summary>A part of a run.</summary>
public static class RunSelection
{
    /// <summary>The run with those of its scenarios whose full names the patterns ask for, and their profiles.</summary>
    /// <param name="run">The run.</param>
    /// <param name="patterns">Names, in which <c>*</c> and <c>?</c> stand for characters and a leading <c>!</c> takes away; empty asks for
    /// everything.</param>
    public static RunResult Of(RunResult run, IReadOnlyList<string> patterns)
    {
        ArgumentNullException.ThrowIfNull(run);
        ArgumentNullException.ThrowIfNull(patterns);
        return patterns.Count == 0
            ? run
            : RunComposition.Part(run, [.. run.Scenarios.Where(scenario => Matches(patterns, scenario.Name))]);
    }

    /// <summary>Whether the patterns ask for a scenario.</summary>
    internal static bool Matches(IReadOnlyList<string> patterns, string name)
    {
        var wanted = patterns.Where(pattern => !pattern.StartsWith('!')).ToList();
        return (wanted.Count == 0 || wanted.Any(pattern => IsLike(pattern, name)))
            && !patterns.Any(pattern => pattern.StartsWith('!') && IsLike(pattern[1..], name));
    }

    private static bool IsLike(string pattern, string name) => FileSystemName.MatchesSimpleExpression(pattern, name, ignoreCase: false);
}

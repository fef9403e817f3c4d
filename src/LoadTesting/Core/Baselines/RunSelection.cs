using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Documents;

namespace LoadTesting.Core.Baselines;

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
            : RunComposition.Part(run, [.. run.Scenarios.Where(scenario => DocumentTemplate.Matches(patterns, scenario.Name))]);
    }
}

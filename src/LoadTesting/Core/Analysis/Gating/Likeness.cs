using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Whether two results may be gated against each other, by the rules of comparisons.</summary>
internal static class Likeness
{
    /// <summary>Whether both are known to be of one machine and runtime.</summary>
    public static bool IsSameMachine(RunResult first, RunResult other) =>
        first.Environment.Fingerprint is { } fingerprint && fingerprint == other.Environment.Fingerprint;

    /// <summary>
    /// What forbids a verdict: durability, content or load that differ or are not recorded. The machine is not among them, for counters
    /// gate everywhere, nor the outcome, which has rules of its own.
    /// </summary>
    public static IEnumerable<string> UnlikeButForMachine(ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate) =>
        Differences(baseRun, reference, candidateRun, candidate).Where(difference => difference.What is not ("machine" or "outcome")).Select(Words);

    /// <summary>As <see cref="UnlikeButForMachine"/>, and the machine: pairs run on one.</summary>
    public static IEnumerable<string> Unlike(ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate) =>
        Differences(baseRun, reference, candidateRun, candidate).Where(difference => difference.What != "outcome").Select(Words);

    /// <summary>The report beside a run; null when there is none, or when the label is no path.</summary>
    public static string? ReportOf(ComparisonSource source)
    {
        if (!Path.Exists(source.Label))
        {
            return null;
        }

        var report = Path.Combine(Path.GetDirectoryName(ComparisonSource.FileOf(source.Label))!, "report.html");
        return File.Exists(report) ? report : null;
    }

    private static IEnumerable<ComparisonDifference> Differences(
        ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate)
    {
        var columns = ComparisonRules.OfColumns(
            new ComparisonColumn("A", reference.Profile, baseRun), new ComparisonColumn("B", candidate.Profile, candidateRun));
        return columns.Concat(ComparisonRules.OfScenarios(reference, candidate)).Where(difference => difference.ForbidsVerdict);
    }

    private static string Words(ComparisonDifference difference) => $"{difference.What} is {difference.First} and {difference.Other}";
}

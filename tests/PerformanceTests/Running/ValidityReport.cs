using IntegrationTests.Shared.Subjects;
using LoadTesting.Core.Baselines;
using LoadTesting.Core.Load;
using LoadTesting.Core.Validity;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Running;

/// <summary>Whether what was measured may be believed.</summary>
internal static class ValidityReport
{
    /// <summary>Over HTTP the way to the service and back, some tenths of a millisecond, is in the residence and not in the gauge.</summary>
    private const double ShortestResidenceOverHttpMs = 20;

    /// <summary>Makes every check that the run is long enough for; the others say why not.</summary>
    public static ValidityResult Make(
        WorkflowScenario scenario,
        WorkflowSubject subject,
        LoadResult load,
        Wave wave,
        HostSample host,
        IReadOnlyList<LeakSeries>? soak,
        SubjectCounts counted,
        IEnumerable<CheckResult> conservation)
    {
        var (law, lawCheck) = LawOf(scenario, subject, wave.Tally, counted);
        var (warmUp, warmUpCheck) = WarmUpOf(wave.Tally);
        var leaks = (soak ?? []).Select(series => LeakTest.Judge(series, load.Duration)).ToArray();
        return new ValidityResult
        {
            Checks = [.. conservation, lawCheck, warmUpCheck, .. leaks.Select(leak => leak.Check)],
            Environment = Vetoes.Judge(host, load.Health, wave.Tally.Latency.PercentileMs(50), subject.Hosting == HostingKind.InProcess, new VetoLimits()),
            LittlesLaw = law,
            WarmUp = warmUp,
            Leaks = Array.Exists(leaks, leak => leak.Result is not null) ? [.. leaks.Select(leak => leak.Result).OfType<LeakResult>()] : null,
        };
    }

    private static (LittlesLawResult?, CheckResult) LawOf(WorkflowScenario scenario, WorkflowSubject subject, WaveTally tally, SubjectCounts counted)
    {
        var whyNot = !scenario.StartsInstances ? "the service's gauge counts instances, and an operation is a signal to a receiver"
            : tally.Completed < LittlesLaw.MinimumCompletions ? $"the law needs {LittlesLaw.MinimumCompletions} completions; there are {tally.Completed}"
            : counted.Started != tally.Completed ? $"the gauge counts instances: {counted.Started} were started for {tally.Completed} completed operations"
            : subject.Hosting == HostingKind.Http && tally.Latency.AverageMs < ShortestResidenceOverHttpMs
                ? $"over HTTP the way to the service is no part of its gauge, and a residence of {tally.Latency.AverageMs:0.0} ms holds too much of it ({ShortestResidenceOverHttpMs} ms are needed)"
            : null;
        if (whyNot is not null)
        {
            return (null, CheckResult.Not(LittlesLaw.CheckName, CheckSubject.Measurement, whyNot));
        }

        var (result, check) = LittlesLaw.Compare(counted.InFlightSeconds, tally.Completed, tally.Latency.AverageMs, tally.Duration);
        return (result, check);
    }

    private static (WarmUpResult?, CheckResult) WarmUpOf(WaveTally tally)
    {
        if (tally.Series.Count < WarmUpCut.MinimumCompletions)
        {
            return (null, CheckResult.Not(
                WarmUpCut.CheckName, CheckSubject.Measurement, $"the cut needs {WarmUpCut.MinimumCompletions} completions; there are {tally.Series.Count}"));
        }

        var (result, check) = WarmUpCut.Find(tally.Series, tally.SeriesName);
        return (result, check);
    }
}

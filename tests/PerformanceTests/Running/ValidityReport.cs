using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Results;
using PerformanceTesting.Subjects;
using PerformanceTests.Scenarios;

namespace PerformanceTests.Running;

/// <summary>Whether what was measured may be believed.</summary>
internal static class ValidityReport
{
    // The way to the service and back is in the client's residence and not in the service's gauge: some tens of microseconds in process, up to
    // a millisecond over HTTP. Residences are twenty times as long, so that it stays within the 5 %.
    private const double ShortestResidenceMs = 1;
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
        var shortest = subject.Hosting == HostingKind.Http ? ShortestResidenceOverHttpMs : ShortestResidenceMs;
        var whyNot = !scenario.StartsInstances ? "the service's gauge counts instances, and an operation is a signal to a receiver"
            : tally.Completed < LittlesLaw.MinimumCompletions ? $"the law needs {LittlesLaw.MinimumCompletions} completions; there are {tally.Completed}"
            : subject is { Hosting: HostingKind.Http, Broker: not null } ? "events are on a broker between the service's gauge and the client, for a time that neither counts"
            : counted.Started != tally.Completed ? $"the gauge counts instances: {counted.Started} were started for {tally.Completed} completed operations"
            : tally.Latency.AverageMs < shortest
                ? FormattableString.Invariant($"the way to the service is no part of its gauge, and too much of a residence of {tally.Latency.AverageMs:0.000} ms; {shortest} ms are needed")
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

using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Results;
using Payments.Service.Stores;

namespace PerformanceTests.Payments;

/// <summary>Whether what was measured may be believed.</summary>
internal static class PaymentValidity
{
    /// <summary>The request's way over HTTP and the event's to the consumer, some tenths of a millisecond, are in the residence and not in the gauge.</summary>
    private const double ShortestResidenceMs = 20;

    /// <param name="scenario">What was measured.</param>
    /// <param name="load">What the generator measured.</param>
    /// <param name="run">What became of the operations.</param>
    /// <param name="made">What the service's store gained.</param>
    /// <param name="inFlightSeconds">What the integral of the service's own gauge gained.</param>
    /// <param name="host">What the machine gave to others.</param>
    public static ValidityResult Judge(
        PaymentScenario scenario, LoadResult load, PaymentRun run, PaymentCounts made, double inFlightSeconds, HostSample host)
    {
        var measured = load.Scenarios[0];
        var (law, lawCheck) = LawOf(scenario, measured, run, inFlightSeconds);
        var (warmUp, steady) = run.Latencies.Count >= WarmUpCut.MinimumCompletions
            ? WarmUpCut.Find(run.Latencies, "latency")
            : (null, CheckResult.Not(
                WarmUpCut.CheckName, CheckSubject.Measurement, $"the cut needs {WarmUpCut.MinimumCompletions} completions; there are {run.Latencies.Count}"));
        return new ValidityResult
        {
            Checks = [Conservation(made, scenario.CreatesPayments ? run.Accepted : 0), lawCheck, steady],
            Environment = measured.Ok.Count == 0 ? [] : Vetoes.Judge(host, load.Health, measured.Ok.Latency.PercentileMs(50), isShared: true, new VetoLimits()),
            LittlesLaw = law,
            WarmUp = warmUp,
        };
    }

    /// <summary>The gauge holds a payment from its acceptance until PaymentCompleted was told; so must an operation, to be compared.</summary>
    private static (LittlesLawResult?, CheckResult) LawOf(PaymentScenario scenario, ScenarioStats measured, PaymentRun run, double inFlightSeconds)
    {
        var residenceMs = measured.Ok.Count == 0 ? 0 : measured.Ok.Service.AverageMs;
        var whyNot = scenario is not PaymentJourneyScenario
                ? "the service's gauge counts payments until they are completed, and an operation ends before or after that"
            : run.Completed < LittlesLaw.MinimumCompletions ? $"the law needs {LittlesLaw.MinimumCompletions} completions; there are {run.Completed}"
            : residenceMs < ShortestResidenceMs
                ? $"the ways of request and event are no part of the gauge, and a residence of {residenceMs:0.0} ms holds too much of them ({ShortestResidenceMs} ms are needed)"
            : null;
        return whyNot is null
            ? LittlesLaw.Compare(inFlightSeconds, run.Completed, residenceMs, measured.Duration)
            : (null, CheckResult.Not(LittlesLaw.CheckName, CheckSubject.Measurement, whyNot));
    }

    private static CheckResult Conservation(PaymentCounts made, long due)
    {
        var wrong = Math.Abs(made.All - due) + Math.Abs(made.Completed - due) + Math.Abs(made.Receipts - due);
        return CheckResult.AtMost(
            "conservation", CheckSubject.System, wrong, 0,
            $"the store has {made.All} payments, {made.Completed} of them completed and {made.Receipts} with a receipt, where {due} are due");
    }
}

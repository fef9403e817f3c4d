using LoadTesting.Core.Baselines;
using LoadTesting.Core.Health;
using LoadTesting.Core.Validity;
using Payments.Service.Stores;

namespace PerformanceTests.Payments;

/// <summary>Whether what was measured may be believed.</summary>
internal static class PaymentValidity
{
    /// <param name="made">What the service's store gained.</param>
    /// <param name="due">Payments that the client saw acknowledged.</param>
    /// <param name="latencies">Latencies in order of completion.</param>
    /// <param name="generator">The generator's health.</param>
    /// <param name="host">What the machine gave to others.</param>
    /// <param name="medianMs">Median latency; 0 without any.</param>
    public static ValidityResult Judge(
        PaymentCounts made, long due, CompletionSeries latencies, GeneratorHealth generator, HostSample host, double medianMs)
    {
        var (warmUp, steady) = latencies.Count >= WarmUpCut.MinimumCompletions
            ? WarmUpCut.Find(latencies, "latency")
            : (null, CheckResult.Not(
                WarmUpCut.CheckName, CheckSubject.Measurement, $"{latencies.Count} completions are fewer than the {WarmUpCut.MinimumCompletions} that it takes"));
        return new ValidityResult
        {
            Checks = [Conservation(made, due), WithoutGauge, steady],
            Environment = medianMs > 0 ? Vetoes.Judge(host, generator, medianMs, isShared: true, new VetoLimits()) : [],
            WarmUp = warmUp,
        };
    }

    private static CheckResult WithoutGauge => CheckResult.Not(
        LittlesLaw.CheckName,
        CheckSubject.Measurement,
        "the client's residence holds the request's way over HTTP and the event's way to the consumer, which no gauge of the service sees: of a few milliseconds, more than the 5 % allowed");

    private static CheckResult Conservation(PaymentCounts made, long due)
    {
        var wrong = Math.Abs(made.All - due) + Math.Abs(made.Completed - due) + Math.Abs(made.Receipts - due);
        return CheckResult.AtMost(
            "conservation", CheckSubject.System, wrong, 0,
            $"the store has {made.All} payments, {made.Completed} of them completed and {made.Receipts} with a receipt, where {due} are due");
    }
}

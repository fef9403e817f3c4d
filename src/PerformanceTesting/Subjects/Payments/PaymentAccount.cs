using LoadTesting.Core.Analysis.Validity;
using Payments.Service.Stores;

namespace PerformanceTesting.Subjects.Payments;

/// <summary>
/// What the service's store gained over the load: every payment that was acknowledged, and no other, went through all
/// four consumers.
/// </summary>
internal sealed class PaymentAccount(PaymentScenario scenario, PaymentSubject subject) : IRunObserver
{
    /// <summary>
    /// The request's way over HTTP and the event's to the consumer, some tenths of a millisecond, are in the residence
    /// and not in the gauge.
    /// </summary>
    private const double ShortestResidenceMs = 20;

    private (PaymentCounts Counts, double InFlightSeconds, long Requests)? _before;
    private (PaymentCounts Counts, double InFlightSeconds, long Requests)? _after;

    public async Task StartAsync(CancellationToken cancellationToken) => _before = await ReadAsync(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken) => _after = await ReadAsync(cancellationToken);

    public void AddTo(RunEvidence evidence)
    {
        var (before, after) = (_before!.Value, _after!.Value);
        var ledger = evidence.Measured.Ledger!;
        evidence.Checks.Add(Conservation(before.Counts, after.Counts, scenario.CreatesPayments ? ledger.Started : 0));
        var (law, check) = LawOf(evidence, after.InFlightSeconds - before.InFlightSeconds);
        evidence.LittlesLaw = law;
        evidence.Checks.Add(check);
        var (requests, backend) = (after.Requests - before.Requests, evidence.Backend ?? new BackendCounters());
        evidence.Backend = backend with
        {
            Raw = new Dictionary<string, double>(backend.Raw) { ["service.httpRequests"] = requests },
            PerOperation = new Dictionary<string, double?>(backend.PerOperation)
            {
                ["httpRequests"] = ledger.Completed == 0 ? null : (double)requests / ledger.Completed,
            },
        };
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// The gauge holds a payment from its acceptance until PaymentCompleted was published; so must an operation, to be
    /// compared.
    /// </summary>
    private (LittlesLawResult?, CheckResult) LawOf(RunEvidence evidence, double inFlightSeconds)
    {
        var measured = evidence.Load.Scenarios[0];
        var residenceMs = measured.Ok.Count == 0 ? 0 : measured.Ok.Service.AverageMs;
        var whyNot = scenario.Variant.Copies is not null
                ? "as many at a time as the service takes wait before it counts them and after, for the processors that they share with it"
            : !scenario.EndsWithPaymentCompleted
                ? "the service's gauge counts payments until they are completed, and an operation ends before or after that"
            : evidence.Completed < LittlesLaw.MinimumCompletions
                ? $"the law needs {LittlesLaw.MinimumCompletions} completions; there are {evidence.Completed}"
            : residenceMs < ShortestResidenceMs
                ? $"the gauge leaves out requests and events in transit, and they are too large a part of a "
                    + $"residence of {residenceMs:0.0} ms ({ShortestResidenceMs} ms are needed)"
            : null;
        return whyNot is null
            ? LittlesLaw.Compare(inFlightSeconds, evidence.Completed, residenceMs, measured.Duration)
            : (null, CheckResult.Not(LittlesLaw.CheckName, CheckSubject.System, whyNot));
    }

    private static CheckResult Conservation(PaymentCounts before, PaymentCounts after, long due)
    {
        var made = new PaymentCounts(
            after.All - before.All, after.Completed - before.Completed, after.Receipts - before.Receipts);
        var wrong = Math.Abs(made.All - due) + Math.Abs(made.Completed - due) + Math.Abs(made.Receipts - due);
        return CheckResult.AtMost(
            "conservation", CheckSubject.System, wrong, 0,
            $"the store has {made.All} payments, {made.Completed} completed and {made.Receipts} with a receipt, where {due} are due");
    }

    private async Task<(PaymentCounts, double, long)> ReadAsync(CancellationToken cancellationToken) =>
        (await subject.CountAsync(cancellationToken), subject.InFlightSeconds, subject.Client.Requests);
}

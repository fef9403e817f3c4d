namespace PerformanceTesting.Subjects.Streams;

/// <summary>Opens the measured streams before the load, and compares their account with the result.</summary>
internal sealed class StreamObserver(StreamScenario scenario, StreamSubject subject) : IRunObserver
{
    private long _before;
    private long _after;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        _before = await subject.CountVersionsAsync(cancellationToken);
        await subject.OpenAsync(cancellationToken);
    }

    public async Task StopAsync(CancellationToken cancellationToken) =>
        _after = await subject.CountVersionsAsync(cancellationToken);

    public void AddTo(RunEvidence evidence)
    {
        var streams = scenario.Result;
        var (counts, backend) = (streams.Counts, evidence.Backend ?? new BackendCounters());
        var durationMs = evidence.Measured.DurationMs;
        var perSecond = durationMs > 0 ? 1_000 * counts.Delivered / durationMs : 0;
        evidence.Checks.AddRange(streams.Checks());
        var (stored, ledger) = (_after - _before, evidence.Measured.Ledger!);
        var apart = Math.Max(Math.Max(ledger.Started - stored, stored - ledger.Started - ledger.Unknown), 0);
        evidence.Checks.Add(CheckResult.AtMost(
            "registeredOnce", CheckSubject.System, apart, 0,
            $"{stored} new versions; {ledger.Started} publications were acknowledged, {ledger.Unknown} not answered"));
        evidence.Deliveries = counts;
        evidence.Backend = backend with
        {
            Raw = new Dictionary<string, double>(backend.Raw)
            {
                ["streams.clients"] = streams.Clients,
                ["streams.opened"] = streams.Opened,
                ["streams.deliveries"] = counts.Delivered,
                ["streams.deliveriesPerSecond"] = perSecond,
                ["streams.reconnections"] = streams.Reconnections,
                ["streams.cuts"] = streams.Cuts,
            },
        };
        evidence.Notes.Add(
            $"{streams.Opened} of {streams.Clients} streams opened; "
            + FormattableString.Invariant($"{counts.Delivered} deliveries, {perSecond:0}/s; ")
            + $"{streams.Reconnections} reconnections on purpose. Lost, duplicate and out-of-order events of the "
            + "ledger are deliveries.");
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

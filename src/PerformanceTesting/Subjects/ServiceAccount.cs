using LoadTesting.Core.Analysis.Validity;
using Workflow.Abstractions;
using Workflow.Contracts.Instances;

namespace PerformanceTesting.Subjects;

/// <summary>
/// What the service counted over the load: completes the ledger, holds service, store and client against each other,
/// and sets the service's own gauge beside the client.
/// </summary>
/// <param name="subject">The service.</param>
/// <param name="startsInstances">Whether every operation is one instance; else it is a signal to a receiver.</param>
/// <param name="audit">Reads the store; place it before this observer.</param>
public sealed class ServiceAccount(WorkflowSubject subject, bool startsInstances, StoreAuditObserver audit)
    : IRunObserver
{
    // The way to the service and back is in the client's residence and not in the service's gauge: some tens of
    // microseconds in process, up to a millisecond over HTTP. Residences are twenty times as long, so that it stays
    // within the 5 %.
    private const double ShortestResidenceMs = 1;
    private const double ShortestResidenceOverHttpMs = 20;

    private EngineStatistics? _before;
    private EngineStatistics? _after;

    /// <summary>What was counted since the start of the load.</summary>
    public EngineStatistics Counted =>
        _after?.Since(_before!) ?? throw new InvalidOperationException("The load is not over.");

    public async Task StartAsync(CancellationToken cancellationToken) =>
        _before = await subject.CountAsync(cancellationToken);

    public async Task StopAsync(CancellationToken cancellationToken) =>
        _after = await subject.CountAsync(cancellationToken);

    public void AddTo(RunEvidence evidence)
    {
        evidence.Checks.AddRange(ConservationChecks.OfService(_before!, _after!, subject.MissingCounts));
        var ledger = evidence.Measured.Ledger!;
        evidence.Checks.AddRange(subject.MissingCounts is null
            ?
            [
                .. ConservationChecks.OfClient(ledger, startsInstances, Counted),
                ConservationChecks.OfStore(_before!, _after!, audit.Stored!),
            ]
            : ConservationChecks.OfStoreAlone(ledger, _before!, _after!, audit.Stored!));
        var (law, check) = LawOf(evidence);
        evidence.LittlesLaw = law;
        evidence.Checks.Add(check);
        evidence.Lanes = Counted.Lanes;
        evidence.Ends = EndsOf(ledger);
        evidence.Backend = BackendOf(evidence.Backend ?? new BackendCounters(), evidence.Measured.Operations);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    /// <summary>
    /// Where the service says that operations ended which did not complete. Nothing here is derived so that the account
    /// balances: an instance more than the client started makes it unbalanced.
    /// </summary>
    private OperationEnds EndsOf(LedgerResult ledger)
    {
        // Of a node that left the store alone has all; an instance of such a load calls no other.
        var counts = subject.MissingCounts is null ? Counted : Counted with
        {
            Started = audit.Stored!.Started, Called = 0, Failed = audit.Stored.Failed,
            Cancelled = audit.Stored.Cancelled,
        };

        // Sub-workflows that fail or are cancelled are among the service's counts, and no operations.
        var most = counts.Called > 0 ? Math.Max(0, ledger.Started - ledger.Completed) : long.MaxValue;
        var failed = startsInstances ? Math.Min(counts.Failed, most) : 0;
        var cancelled = startsInstances ? Math.Min(counts.Cancelled, most - failed) : 0;
        var open = ledger.Started - ledger.Completed - failed - cancelled;
        var deadLettered = Math.Clamp(counts.DeadLetters, 0, Math.Max(0, open));
        var suspended = startsInstances ? audit.Live.Count(instance => instance.State == InstanceState.Suspended) : 0;

        // An instance whose signal became a dead letter is counted as such, and one whose start was never answered as
        // unknown.
        var unanswered =
            startsInstances ? Math.Clamp(counts.Started - counts.Called - ledger.Started, 0, ledger.Unknown) : 0;
        var kept = startsInstances ? audit.Live.Count - suspended : _after!.BufferedSignals - _before!.BufferedSignals;
        var waiting = Math.Max(0, kept - deadLettered - unanswered);
        return new OperationEnds(
            failed, cancelled, deadLettered, waiting, suspended) { RuntimeConflicts = counts.FailedFlushes };
    }

    /// <summary>
    /// The server's own counters beside the engine's; where the server does not report its commits, they are the
    /// engine's.
    /// </summary>
    private BackendCounters BackendOf(BackendCounters backend, long operations)
    {
        var counts = Counted;
        var perOperation = new Dictionary<string, double?>(backend.PerOperation);
        var notes = backend.Notes.ToList();
        Dictionary<string, string>? sources = null;
        if (perOperation.GetValueOrDefault("commits") is null)
        {
            // An engine that does not count its commits makes one for each flush: the source keeps its name, so that
            // both compare.
            sources = new() { ["commits"] = "engine.flushes" };
            perOperation["commits"] = (double)(counts.Commits ?? counts.Flushes) / Math.Max(1, operations);
            notes.Add("Commits are the engine's own count.");
        }

        return backend with
        {
            Raw = new Dictionary<string, double>(backend.Raw)
            {
                ["engine.commits"] = counts.Commits ?? counts.Flushes,
                ["engine.flushes"] = counts.Flushes,
                ["engine.signals"] = counts.Signals,
                ["engine.notificationsSent"] = counts.Notifications.Sent,
                ["engine.notificationsReceived"] = counts.Notifications.Received,
            },
            PerOperation = perOperation,
            Sources = sources,
            Notes = notes,
        };
    }

    private (LittlesLawResult?, CheckResult) LawOf(RunEvidence evidence)
    {
        var latency = evidence.Measured.Latency;
        var shortest = subject.Hosting == HostingKind.Http ? ShortestResidenceOverHttpMs : ShortestResidenceMs;
        var tally = evidence.Tallies is [var only] ? only : null;
        var whyNot = tally is null ? "several scenarios ran at the same time"
            : !startsInstances ? "the service's gauge counts instances, and an operation is a signal to a receiver"
            : subject.ProcessIds.Count > 1
                ? "between nodes a command and its reply are in the store, for a time that no node's gauge counts"
            : tally.Completed < LittlesLaw.MinimumCompletions
                ? $"the law needs {LittlesLaw.MinimumCompletions} completions; there are {tally.Completed}"
            : subject is { Hosting: HostingKind.Http, Broker: not null }
                ? "events are on a broker between the service's gauge and the client, for a time that neither counts"
            : Counted.Started != tally.Completed
                ? $"the gauge counts instances: {Counted.Started} were started for {tally.Completed} completed operations"
            : latency.AverageMs < shortest
                ? FormattableString.Invariant(
                    $"transit is not in the gauge; a residence of {latency.AverageMs:0.000} ms is below {shortest} ms")
            : null;
        if (whyNot is not null)
        {
            return (null, CheckResult.Not(LittlesLaw.CheckName, CheckSubject.System, whyNot));
        }

        return LittlesLaw.Compare(Counted.InFlightSeconds, tally!.Completed, tally.Latency.AverageMs, tally.Duration);
    }
}

using PerformanceTesting.Backends;
using Workflow.Abstractions;

namespace PerformanceTesting.Subjects;

/// <summary>What a service must not have lost, doubled or left behind once the load has settled.</summary>
internal static class ConservationChecks
{
    /// <summary>Judges what the service counted.</summary>
    /// <param name="before">Its counts before the load.</param>
    /// <param name="after">Its counts once it is idle again.</param>
    /// <param name="missing">Why its counters do not have all of the load; null where they do. Its gauges do.</param>
    public static IEnumerable<CheckResult> OfService(
        EngineStatistics before, EngineStatistics after, string? missing = null)
    {
        var counted = after.Since(before);
        var kept = after.BufferedSignals - before.BufferedSignals;
        var lost =
            Math.Abs(counted.Signals - counted.SignalsConsumed - counted.SignalsExpired - counted.DeadSignals - kept);
        yield return missing is null
            ? Zero("lostSignals", lost, AccountOf(counted, kept, lost))
            : CheckResult.Not(
                "lostSignals", CheckSubject.System,
                $"{missing}: a signal that is lost leaves an instance that does not complete, and one that is doubled stays buffered");
        var backlog = WorkflowSubject.PendingOf(after) + Math.Max(0, kept);
        yield return Zero("backlog", backlog,
            $"{WorkflowSubject.PendingOf(after)} commands and events in flight and {kept} more signals buffered than before");
    }

    /// <summary>
    /// Judges whether the service has taken and completed what the client sent, where an operation is one instance, or
    /// one signal. An operation whose answer was lost may or may not be there.
    /// </summary>
    /// <param name="ledger">The client's account.</param>
    /// <param name="startsInstances">
    /// Whether every operation is one instance; else it is a signal to a receiver.
    /// </param>
    /// <param name="counted">What the service counted over the load.</param>
    public static IEnumerable<CheckResult> OfClient(LedgerResult ledger, bool startsInstances, EngineStatistics counted)
    {
        var taken = startsInstances ? counted.Started - counted.Called : counted.Signals;
        var what = startsInstances ? "instances" : "signals";
        yield return Zero(
            "startedOnce",
            Beyond(taken, ledger.Started, ledger.Started + ledger.Unknown),
            $"the service took {taken} {what} for {ledger.Started} operations that the client started{Unanswered(ledger)}");
        if (startsInstances && counted.Called == 0)
        {
            yield return Zero(
                "completedOnce",
                Beyond(counted.Completed, ledger.Completed, ledger.Completed + ledger.Unknown),
                $"the service completed {counted.Completed} instances, and the client saw {ledger.Completed} complete{Unanswered(ledger)}");
        }
    }

    /// <summary>
    /// Judges whether the store has made and completed what the client sent, each operation one instance that calls no
    /// other, where the service's counters do not have all of the load; what lives is also held against its gauge,
    /// which has.
    /// </summary>
    /// <param name="ledger">The client's account.</param>
    /// <param name="before">The service's counts before the load.</param>
    /// <param name="after">Its counts once it is idle again.</param>
    /// <param name="stored">What the store gained meanwhile.</param>
    public static IEnumerable<CheckResult> OfStoreAlone(
        LedgerResult ledger, EngineStatistics before, EngineStatistics after, InstanceCounts stored)
    {
        var live = after.LiveInstances - before.LiveInstances;
        yield return Zero(
            "startedOnce",
            Beyond(stored.Started, ledger.Started, ledger.Started + ledger.Unknown),
            $"the store gained {stored.Started} instances for {ledger.Started} operations that the client started{Unanswered(ledger)}");
        yield return Zero(
            "completedOnce",
            Beyond(stored.Completed, ledger.Completed, ledger.Completed + ledger.Unknown),
            $"the store gained {stored.Completed} completed ones, and the client saw {ledger.Completed} complete{Unanswered(ledger)}");
        yield return Zero(
            "storedOnce", Math.Abs(live - stored.Live), $"by service and store: live {live} and {stored.Live}");
    }

    /// <summary>
    /// Judges whether the store holds the instances that the service says it made, in the states it says they are in.
    /// </summary>
    /// <param name="before">The service's counts before the load.</param>
    /// <param name="after">Its counts once it is idle again.</param>
    /// <param name="stored">What the store gained meanwhile.</param>
    public static CheckResult OfStore(EngineStatistics before, EngineStatistics after, InstanceCounts stored)
    {
        var counted = after.Since(before);
        (string State, long Service, long Store)[] states =
        [
            ("started", counted.Started, stored.Started), ("completed", counted.Completed, stored.Completed),
            ("failed", counted.Failed, stored.Failed), ("cancelled", counted.Cancelled, stored.Cancelled),
            ("live", after.LiveInstances - before.LiveInstances, stored.Live),
        ];
        var apart = states.Where(state => state.Service != state.Store).ToArray();
        var words =
            string.Join(", ", (apart.Length > 0 ? apart : states).Select(s => $"{s.State} {s.Service} and {s.Store}"));
        return Zero(
            "storedOnce", states.Sum(state => Math.Abs(state.Service - state.Store)), $"by service and store: {words}");
    }

    private static long Beyond(long value, long least, long most) => Math.Max(Math.Max(least - value, value - most), 0);

    private static string Unanswered(LedgerResult ledger) =>
        ledger.Unknown == 0 ? "" : $", and {ledger.Unknown} without an answer";

    /// <summary>Judges what the store holds.</summary>
    /// <param name="broken">How many rows break each rule of <see cref="StoreAudit"/>.</param>
    public static IEnumerable<CheckResult> OfStore(IReadOnlyDictionary<string, long> broken) =>
        broken.Select(rule => Zero(rule.Key, rule.Value, $"{rule.Value} {Words(rule.Key)}"));

    private static FormattableString AccountOf(EngineStatistics counted, long kept, long lost)
    {
        var (sent, consumed, expired, dead) =
            (counted.Signals, counted.SignalsConsumed, counted.SignalsExpired, counted.DeadSignals);
        return $"{sent} signals accepted = {consumed} consumed + {expired} expired + {dead} dead + {kept} buffered, {lost} missing";
    }

    private static CheckResult Zero(string name, long value, FormattableString reason) =>
        CheckResult.AtMost(name, CheckSubject.System, value, 0, reason);

    private static string Words(string rule) => rule switch
    {
        StoreAudit.UnexplainedInstances => "live instances wait for nothing that can still come",
        "undeliveredSignals" =>
            "stored signals are due beside an instance that waits for them, or are for one that is over",
        "undeliveredMessages" => "messages between partitions were never taken",
        "orphanSubscriptions" => "subscriptions belong to no waiting instance",
        "duplicateTasks" => "waits have more than one open task",
        StoreAudit.OrphanTasks => "open tasks belong to no waiting instance",
        StoreAudit.OrphanChildren => "live sub-workflows have no parent that waits for them",
        _ => rule,
    };
}

using LoadTesting.Core.Results;
using Workflow.Abstractions;

namespace PerformanceTesting.Subjects;

/// <summary>What a service must not have lost, doubled or left behind once the load has settled.</summary>
internal static class ConservationChecks
{
    /// <summary>Judges what the service counted.</summary>
    /// <param name="before">Its counts before the load.</param>
    /// <param name="after">Its counts once it is idle again.</param>
    public static IEnumerable<CheckResult> OfService(EngineStatistics before, EngineStatistics after)
    {
        var counted = after.Since(before);
        var kept = after.BufferedSignals - before.BufferedSignals;
        var lost = Math.Abs(counted.Signals - counted.SignalsConsumed - counted.SignalsExpired - counted.DeadSignals - kept);
        yield return Zero(
            "lostSignals",
            lost,
            AccountOf(counted, kept, lost));
        var backlog = WorkflowSubject.PendingOf(after) + Math.Max(0, kept);
        yield return Zero("backlog", backlog,
            $"{WorkflowSubject.PendingOf(after)} commands and events in flight and {kept} more signals buffered than before");
    }

    /// <summary>Judges what the store holds.</summary>
    /// <param name="broken">How many rows break each rule of <see cref="StoreAudit"/>.</param>
    public static IEnumerable<CheckResult> OfStore(IReadOnlyDictionary<string, long> broken) =>
        broken.Select(rule => Zero(rule.Key, rule.Value, $"{rule.Value} {Words(rule.Key)}"));

    private static FormattableString AccountOf(EngineStatistics counted, long kept, long lost)
    {
        var (signals, consumed, expired, dead) = (counted.Signals, counted.SignalsConsumed, counted.SignalsExpired, counted.DeadSignals);
        return $"{signals} signals accepted = {consumed} consumed + {expired} expired + {dead} dead + {kept} buffered, {lost} missing";
    }

    private static CheckResult Zero(string name, long value, FormattableString reason) =>
        CheckResult.AtMost(name, CheckSubject.System, value, 0, reason);

    private static string Words(string rule) => rule switch
    {
        StoreAudit.UnexplainedInstances => "live instances wait for nothing that can still come",
        "undeliveredSignals" => "stored signals are due beside an instance that waits for them, or are for one that is over",
        "undeliveredMessages" => "messages between partitions were never taken",
        "orphanSubscriptions" => "subscriptions belong to no waiting instance",
        "duplicateTasks" => "waits have more than one open task",
        StoreAudit.OrphanTasks => "open tasks belong to no waiting instance",
        StoreAudit.OrphanChildren => "live sub-workflows have no parent that waits for them",
        _ => rule,
    };
}

using LoadTesting.Core.Results;
using PerformanceTesting.Subjects;

namespace PerformanceTests.Running;

/// <summary>What the service must not have lost, doubled or left behind once a wave has settled.</summary>
internal static class ConservationChecks
{
    /// <summary>Judges what the service counted and what its store holds.</summary>
    /// <param name="before">The service's counts before the load.</param>
    /// <param name="after">The service's counts once it is idle again.</param>
    /// <param name="broken">How many rows of the store break each rule of <see cref="StoreAudit"/>.</param>
    public static IEnumerable<CheckResult> Of(SubjectCounts before, SubjectCounts after, IReadOnlyDictionary<string, long> broken)
    {
        var counted = after.Since(before);
        var kept = after.Buffered - before.Buffered;
        var lost = Math.Abs(counted.Signals - counted.SignalsConsumed - counted.SignalsExpired - counted.DeadSignals - kept);
        yield return Zero(
            "lostSignals", lost,
            $"{counted.Signals} signals accepted = {counted.SignalsConsumed} taken + {counted.SignalsExpired} given up + {counted.DeadSignals} dead letters + {kept} kept, {lost} unaccounted for");
        var backlog = after.Pending + Math.Max(0, kept);
        yield return Zero("backlog", backlog, $"{after.Pending} commands and events under way and {kept} more signals buffered than before");
        foreach (var (rule, count) in broken)
        {
            yield return Zero(rule, count, $"{count} {Words(rule)}");
        }
    }

    private static CheckResult Zero(string name, long value, FormattableString reason) => CheckResult.AtMost(name, CheckSubject.System, value, 0, reason);

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

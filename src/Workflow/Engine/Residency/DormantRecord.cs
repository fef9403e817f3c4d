using Workflow.Engine.Signals;

namespace Workflow.Engine.Residency;

/// <summary>What the store keeps of a dormant instance beside its row.</summary>
/// <param name="Tasks">The number of its open tasks.</param>
internal sealed record DormantRecord(IReadOnlyList<DormantWait> Waits, int Tasks)
{
    public static DormantRecord Of(LiveInstance instance)
    {
        var waits = new List<DormantWait>(1);
        var tasks = 0;
        foreach (var wait in instance.Waits)
        {
            if (wait.IsReady)
            {
                continue;
            }

            tasks += wait.Kind == WaitKind.Task ? 1 : 0;
            if (wait.Kind == WaitKind.Signal && SignalWaits.IsOfOwnPartition(instance, wait))
            {
                waits.Add(new(SignalSlot.Of(wait.Name!, wait.Key!), wait.Id));
            }
        }

        return new(waits, tasks);
    }
}

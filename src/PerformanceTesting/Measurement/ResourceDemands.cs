using LoadTesting.Core.Analysis.Findings;

namespace PerformanceTesting.Measurement;

/// <summary>
/// What an operation needs of each resource, from what was watched: busy time / completed operations.
/// </summary>
public static class ResourceDemands
{
    /// <summary>
    /// Generator, service and database live on the same processors here, so these can be full while none of the
    /// processes is.
    /// </summary>
    private const string AllProcesses = "the machine's processors";

    // As for shares of waits: from fewer looks the busy share is a guess.
    private const int MinimumLooks = 30;

    public static IReadOnlyList<DemandResult> Of(ResourceObservation seen, CollectedCounters? counters, long completed)
    {
        var demands = new List<DemandResult>();
        Add(seen.IsInProcess ? "CPU of service and generator" : ResourceNames.ServiceCpu, seen.Service?.CpuSeconds,
            Environment.ProcessorCount);
        Add(ResourceNames.DatabaseCpu, seen.Database?.CpuSeconds, Environment.ProcessorCount);
        Add(AllProcesses, seen.OwnCpuSeconds, Environment.ProcessorCount);
        if (counters?.Looks is { Count: >= MinimumLooks } looks)
        {
            // One session flushes the log, and others wait for their turn: the log is busy while there is any.
            var busy = looks.SelectMany(look => look.Waits)
                .Where(wait => wait.Value.Resource == ResourceNames.WalFlush)
                .CountBy(wait => wait.Key).Select(wait => wait.Value).DefaultIfEmpty().Max();
            Add(ResourceNames.WalFlush, (double)busy / looks.Count * seen.Duration.TotalSeconds, 1);
        }

        return demands;

        void Add(string resource, double? busySeconds, double servers)
        {
            if (busySeconds is > 0 && completed > 0)
            {
                demands.Add(new DemandResult(resource, busySeconds.Value / completed, servers));
            }
        }
    }
}

using LoadTesting.Core.Load.Watches;
using Workflow.Client;

namespace PerformanceTesting.Subjects;

/// <summary>What services say of their processes.</summary>
internal static class ServiceTimes
{
    /// <summary>
    /// The processor time and the compilation time that services have used together since their start.
    /// </summary>
    /// <exception cref="InvalidOperationException">A page does not have them.</exception>
    public static async Task<(TimeSpan Processor, TimeSpan Compilation)> ReadAsync(IEnumerable<WorkflowClient> services)
    {
        var pages = await Task.WhenAll(services.Select(service => service.GetMetricsAsync()));
        var samples = pages.Select(MetricsPage.Read).ToList();
        return (Sum("process_cpu_seconds_total"), Sum("dotnet_jit_compilation_seconds_total"));

        TimeSpan Sum(string name) =>
            TimeSpan.FromSeconds(samples.Sum(page => page.TryGetValue(name, out var value) ? value
            : throw new InvalidOperationException($"A service has no '{name}' at /metrics, "
                + "so whether it is warm is not known.")));
    }
}

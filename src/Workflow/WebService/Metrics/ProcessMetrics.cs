using System.Diagnostics;
using System.Runtime;

namespace Workflow.WebService.Metrics;

internal static class ProcessMetrics
{
    private static readonly double StartUnixSeconds = ReadStart();

    public static void Write(MetricsPage page)
    {
        page.Single("process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970 (UTC).",
            StartUnixSeconds);
        page.Single(
            "process_time_seconds", "gauge", "Clock of the process, in seconds since 1970 (UTC).",
            (TimeProvider.System.GetUtcNow() - DateTimeOffset.UnixEpoch).TotalSeconds);
        page.Single("process_cpu_seconds_total", "counter", "Processor time used.",
            Environment.CpuUsage.TotalTime.TotalSeconds);
        page.Single("process_resident_memory_bytes", "gauge", "Memory in use.", Environment.WorkingSet);
        page.Single(
            "dotnet_gc_heap_bytes", "gauge", "Managed memory in use.", GC.GetTotalMemory(forceFullCollection: false));
        page.Single(
            "dotnet_allocated_bytes_total", "counter", "Managed memory allocated.", GC.GetTotalAllocatedBytes());
        page.Single("dotnet_gc_pause_seconds_total", "counter", "Time for which collections stopped the process.",
            GC.GetTotalPauseDuration().TotalSeconds);
        page.Family("dotnet_gc_collections_total", "counter", "Collections by generation.");
        for (var generation = 0; generation <= GC.MaxGeneration; generation++)
        {
            page.Sample("dotnet_gc_collections_total", $"generation=\"{generation}\"", GC.CollectionCount(generation));
        }

        page.Single("dotnet_jit_compilation_seconds_total", "counter",
            "Time spent in the just-in-time compiler, on whatever thread.",
            JitInfo.GetCompilationTime().TotalSeconds);
        page.Single("dotnet_threadpool_threads", "gauge", "Threads of the pool.", ThreadPool.ThreadCount);
        page.Single(
            "dotnet_threadpool_queue_length", "gauge", "Work waiting for the pool.", ThreadPool.PendingWorkItemCount);
        page.Single("dotnet_lock_contentions_total", "counter", "Waits for a lock.", Monitor.LockContentionCount);
    }

    private static double ReadStart()
    {
        using var process = Process.GetCurrentProcess();
        return new DateTimeOffset(process.StartTime.ToUniversalTime()).ToUnixTimeMilliseconds() / 1000.0;
    }
}

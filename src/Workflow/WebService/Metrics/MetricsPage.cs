using System.Diagnostics;
using System.Runtime;
using Workflow.Abstractions;

namespace Workflow.WebService.Metrics;

/// <summary>A page in the Prometheus text format, version 0.0.4.</summary>
internal sealed class MetricsPage
{
    private readonly StringBuilder _text = new(16 * 1024);

    public void Family(string name, string type, string help) =>
        _text.Append("# HELP ").Append(name).Append(' ').Append(help).Append("\n# TYPE ").Append(name).Append(' ').Append(type)
            .Append('\n');

    /// <summary>Every counter of the engine; those of a node only where several share the store.</summary>
    public void Write(EngineStatistics engine)
    {
        foreach (var counter in EngineCounters.All)
        {
            if (counter.Read(engine) is { } value)
            {
                Single(counter.Metric, counter.Kind == CounterKind.Gauge ? "gauge" : "counter", counter.Help, value);
            }
        }
    }

    /// <summary>A family of one sample without labels.</summary>
    public void Single(string name, string type, string help, double value)
    {
        Family(name, type, help);
        Sample(name, "", value);
    }

    public void Sample(string name, string labels, double value)
    {
        _text.Append(name);
        if (labels.Length > 0)
        {
            _text.Append('{').Append(labels).Append('}');
        }

        _text.Append(' ').Append(value.ToString(CultureInfo.InvariantCulture)).Append('\n');
    }

    public override string ToString() => _text.ToString();
}

/// <summary>What the process uses.</summary>
internal static class ProcessMetrics
{
    private static readonly double StartUnixSeconds = ReadStart();

    public static void Write(MetricsPage page)
    {
        page.Single("process_start_time_seconds", "gauge", "Start of the process, in seconds since 1970 (UTC).", StartUnixSeconds);
        page.Single(
            "process_time_seconds", "gauge", "Clock of the process, in seconds since 1970 (UTC).",
            (TimeProvider.System.GetUtcNow() - DateTimeOffset.UnixEpoch).TotalSeconds);
        page.Single("process_cpu_seconds_total", "counter", "Processor time used.", Environment.CpuUsage.TotalTime.TotalSeconds);
        page.Single("process_resident_memory_bytes", "gauge", "Memory in use.", Environment.WorkingSet);
        page.Single("dotnet_gc_heap_bytes", "gauge", "Managed memory in use.", GC.GetTotalMemory(forceFullCollection: false));
        page.Single("dotnet_allocated_bytes_total", "counter", "Managed memory allocated.", GC.GetTotalAllocatedBytes());
        page.Single("dotnet_gc_pause_seconds_total", "counter", "Time for which collections stopped the process.",
            GC.GetTotalPauseDuration().TotalSeconds);
        page.Family("dotnet_gc_collections_total", "counter", "Collections by generation.");
        for (var generation = 0; generation <= GC.MaxGeneration; generation++)
        {
            page.Sample("dotnet_gc_collections_total", $"generation=\"{generation}\"", GC.CollectionCount(generation));
        }

        page.Single("dotnet_jit_compilation_seconds_total", "counter", "Time spent in the just-in-time compiler, on whatever thread.",
            JitInfo.GetCompilationTime().TotalSeconds);
        page.Single("dotnet_threadpool_threads", "gauge", "Threads of the pool.", ThreadPool.ThreadCount);
        page.Single("dotnet_threadpool_queue_length", "gauge", "Work waiting for the pool.", ThreadPool.PendingWorkItemCount);
        page.Single("dotnet_lock_contentions_total", "counter", "Waits for a lock.", Monitor.LockContentionCount);
    }

    private static double ReadStart()
    {
        using var process = Process.GetCurrentProcess();
        return new DateTimeOffset(process.StartTime.ToUniversalTime()).ToUnixTimeMilliseconds() / 1000.0;
    }
}

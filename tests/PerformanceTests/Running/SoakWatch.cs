using System.Diagnostics;
using LoadTesting.Core.Load.Watches;
using LoadTesting.Core.Results;
using Npgsql;
using PerformanceTesting.Backends.Collectors;
using PerformanceTesting.Subjects;

namespace PerformanceTests.Running;

/// <summary>Watches the resources of a service that must not grow while it is loaded evenly.</summary>
internal sealed class SoakWatch : IAsyncDisposable
{
    private const double MemoryFloorBytes = 16 << 20;
    private const double HandleFloor = 16;
    private const double ConnectionFloor = 2;
    private const double LatencyFloorMs = 1;

    private const string CountSessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = $1";

    private readonly NpgsqlConnection? _observer;
    private readonly LeakSampler _sampler;
    private IReadOnlyList<LeakSeries>? _series;

    private SoakWatch(NpgsqlConnection? observer, IEnumerable<LeakProbe> probes)
    {
        _observer = observer;
        _sampler = LeakSampler.Start(probes);
    }

    /// <summary>Begins to watch a subject.</summary>
    /// <param name="subject">The service.</param>
    /// <param name="wave">The operations, for their latency.</param>
    /// <param name="concurrency">Operations at a time: what the queues may hold.</param>
    /// <param name="observer">How to look at the server's sessions; null where there is none.</param>
    /// <param name="database">The database whose sessions count.</param>
    /// <param name="cancellationToken">Cancels the connection.</param>
    public static async Task<SoakWatch> StartAsync(
        WorkflowSubject subject, Wave wave, int concurrency, string? observer, string? database, CancellationToken cancellationToken)
    {
        var connection = observer is null ? null : await PostgresCollector.ConnectAsync(observer, cancellationToken);
        wave.Tally.WatchWindows();
        List<LeakProbe> probes =
        [
            new("workingSet", "bytes", MemoryFloorBytes, _ => ValueTask.FromResult<double?>(OfProcess(subject, process => process.WorkingSet64))) { TakesMinimum = true },
            new("handles", "handles", HandleFloor, _ => ValueTask.FromResult<double?>(OfProcess(subject, process => process.HandleCount))),
            new("queueDepth", "items", concurrency, async token => await subject.CountAsync(token) is var counts ? counts.Pending + counts.Buffered : null),
            new("p95", "ms", LatencyFloorMs, _ => ValueTask.FromResult(wave.Tally.TakeWindowP95Ms())) { IsOfSystem = false },
        ];
        if (subject.Hosting == HostingKind.InProcess)
        {
            probes.Add(new("managedHeap", "bytes", MemoryFloorBytes, _ => ValueTask.FromResult<double?>(LiveHeapBytes())) { TakesMinimum = true });
        }

        if (connection is not null)
        {
            probes.Add(new("connections", "connections", ConnectionFloor, token => CountSessionsAsync(connection, database!, token)));
        }

        return new(connection, probes);
    }

    /// <summary>Ends watching. May be called again.</summary>
    public async Task<IReadOnlyList<LeakSeries>> StopAsync() => _series ??= await _sampler.StopAsync();

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        if (_observer is not null)
        {
            await _observer.DisposeAsync();
        }
    }

    /// <summary>What the collector found in use when it last ran, garbage and holes left out.</summary>
    private static double LiveHeapBytes()
    {
        var last = GC.GetGCMemoryInfo(GCKind.Any);
        return last.HeapSizeBytes - last.FragmentedBytes;
    }

    private static double OfProcess(WorkflowSubject subject, Func<Process, double> value)
    {
        using var process = Process.GetProcessById(subject.ProcessId);
        return value(process);
    }

    private static async ValueTask<double?> CountSessionsAsync(NpgsqlConnection connection, string database, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(CountSessions, connection);
        command.Parameters.Add(new() { Value = new NpgsqlConnectionStringBuilder(database).Database! });
        return (long?)await command.ExecuteScalarAsync(cancellationToken);
    }
}

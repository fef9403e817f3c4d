using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Measurement;

/// <summary>Watches the resources of a service that must not grow while it is loaded evenly.</summary>
/// <param name="system">The service.</param>
/// <param name="scenario">The load, for the latency of its operations.</param>
/// <param name="others">What else must not grow: queues, connections.</param>
public sealed class LeakObserver(
    IMeasuredSystem system, MeasuredScenario scenario, IReadOnlyList<LeakProbe> others, LeakRules? rules = null)
    : IRunObserver, ILoadWatcher
{
    private const int LooksToStop = 3;
    private const double LatencyFloorMs = 1;

    private readonly LeakRules _rules = rules ?? new();
    private readonly Dictionary<string, int> _proven = new(StringComparer.Ordinal);
    private LeakSampler? _sampler;
    private IReadOnlyList<LeakSeries>? _series;

    public TimeSpan Every => _rules.Every;

    /// <summary>
    /// The same leak of the service, proven at three looks in a row, ends the load: the rest of the time would only
    /// prove it again.
    /// </summary>
    public string? Look(LoadInterval interval)
    {
        foreach (var (result, check) in _sampler!.Read().Where(series => !series.Probe.IsReference)
            .Select(series => LeakTest.Judge(series, interval.To, _rules.Shortest)))
        {
            var isProven =
                check is { Subject: CheckSubject.System, Name: not Verdicts.LatencySlope } && result is not null
                && LeakTest.IsProven(result);
            _proven[check.Name] = isProven ? _proven.GetValueOrDefault(check.Name) + 1 : 0;
            if (_proven[check.Name] == LooksToStop)
            {
                return $"a leak is proven: {LeakTest.SlopeOf(result!)}; {check.Reason}";
            }
        }

        return null;
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        var tally = scenario.Batch!.Tally;
        tally.WatchWindows();
        List<LeakProbe> probes =
        [
            new("workingSet", "bytes", _rules.MemoryFloorBytes, _ => ReadProcess(process => process.WorkingSet64))
                { TakesMinimum = true },
            new("handles", "handles", _rules.HandleFloor, _ => ReadProcess(process => process.HandleCount)),
            new("p95", "ms", LatencyFloorMs, _ => ValueTask.FromResult(tally.TakeWindowP95Ms())),
        ];
        if (system.ProcessId == Environment.ProcessId)
        {
            probes.Add(
                new("managedHeap", "bytes", _rules.MemoryFloorBytes,
                    _ => ValueTask.FromResult<double?>(LiveHeapBytes()))
                {
                    TakesMinimum = true,
                });
        }
        else
        {
            probes.Add(GeneratorProcessor(tally));
        }

        _sampler = LeakSampler.Start([.. probes, .. others], interval: _rules.Interval);
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken) => _series = await _sampler!.StopAsync();

    public void AddTo(RunEvidence evidence)
    {
        var judged = _series!.ToLookup(
            series => series.Probe.IsReference,
            series => LeakTest.Judge(series, evidence.Load.Duration, _rules.Shortest));
        var leaks = judged[false].ToArray();
        evidence.SlowerMachine =
            judged[true].FirstOrDefault(reference => reference.Result is { Leaks: true }).Check?.Reason;
        evidence.Checks.AddRange(leaks.Select(leak => leak.Check));
        evidence.Leaks = Array.Exists(leaks, leak => leak.Result is not null)
            ? [.. leaks.Select(leak => leak.Result).OfType<LeakResult>()]
            : null;
    }

    public async ValueTask DisposeAsync()
    {
        if (_series is null && _sampler is not null)
        {
            await _sampler.StopAsync();
        }
    }

    /// <summary>What the collector found in use when it last ran, garbage and holes left out.</summary>
    private static double LiveHeapBytes()
    {
        var last = GC.GetGCMemoryInfo(GCKind.Any);
        return last.HeapSizeBytes - last.FragmentedBytes;
    }

    /// <summary>The generator does the same for the last operation as for the first.</summary>
    private static LeakProbe GeneratorProcessor(OperationTally tally)
    {
        var (processor, completed) = (Environment.CpuUsage.TotalTime, tally.Completed);
        return new(
            "processor time of the generator for an operation", "ms", Floor: 0, _ => ValueTask.FromResult(Read()))
        {
            IsReference = true,
        };

        double? Read()
        {
            var (used, operations) = (Environment.CpuUsage.TotalTime - processor, tally.Completed - completed);
            if (operations == 0)
            {
                return null;
            }

            (processor, completed) = (processor + used, completed + operations);
            return used.TotalMilliseconds / operations;
        }
    }

    private ValueTask<double?> ReadProcess(Func<Process, double> read)
    {
        using var process = Process.GetProcessById(system.ProcessId);
        return ValueTask.FromResult<double?>(read(process));
    }
}

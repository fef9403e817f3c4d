using LoadTesting.Core.Reporting;
using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.Measurement;

/// <summary>What is seen of a run while it goes on: displays, the file in its directory, and what is exported.</summary>
public sealed class LiveRun : IAsyncDisposable
{
    private readonly LoadMetrics _metrics = new();
    private readonly ProgressDisplay _display;
    private readonly MetricsExport? _export;

    /// <param name="targets">Where figures are exported to.</param>
    /// <param name="outputs">Show what the run does.</param>
    public LiveRun(MetricsTargets targets, IEnumerable<IProgressOutput> outputs)
    {
        _export = MetricsExport.Start(targets, _metrics);
        Progress = new RunProgress(_metrics);
        _display = new ProgressDisplay(Progress, outputs);
    }

    public RunProgress Progress { get; }

    /// <summary>What will be measured on this system is shown and exported.</summary>
    public Arrangement Follow(Arrangement arranged)
    {
        ArgumentNullException.ThrowIfNull(arranged);
        _export?.Point(arranged.System.Services);
        return arranged with { Metrics = _metrics, Progress = Progress };
    }

    /// <summary>The run has a directory, which keeps a file of its progress from now on.</summary>
    public void KeepIn(ResultWriter writer)
    {
        ArgumentNullException.ThrowIfNull(writer);
        Progress.Name(writer.Run.RunId);
        _display.Add(new ProgressFile(writer.DirectoryPath));
    }

    /// <summary>The run is over; the file says so.</summary>
    public async ValueTask DisposeAsync()
    {
        Progress.End(RunState.Ended);
        _display.Dispose();
        await (_export?.DisposeAsync() ?? ValueTask.CompletedTask);
        _metrics.Dispose();
    }
}

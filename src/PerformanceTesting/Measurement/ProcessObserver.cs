using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Measurement;

/// <summary>
/// Watches the processes of the generator and of a service beside it, and judges which of them takes the response time.
/// </summary>
/// <param name="serviceProcessId">The service's process; 0 where it is not known.</param>
public sealed class ProcessObserver(int serviceProcessId) : IRunObserver, ITimelineSource
{
    private const string Generator = "generator";
    private const string Service = "service";

    private readonly ProcessTimeline _timeline = new(serviceProcessId == 0 ? [] : [serviceProcessId]);
    private ProcessUsageWatch? _watch;
    private ResourceObservation? _seen;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        WatchedProcess generator = new(Generator, Environment.ProcessId);
        _watch = ProcessUsageWatch.Start(
            serviceProcessId == 0 ? [generator] : [generator, new WatchedProcess(Service, serviceProcessId)]);
        return Task.CompletedTask;
    }

    public async Task StopAsync(CancellationToken cancellationToken)
    {
        var report = await _watch!.StopAsync();
        _seen = new ResourceObservation
        {
            Duration = report.Duration,
            IsInProcess = false,
            Generator = report.Processes.GetValueOrDefault(Generator),
            Service = report.Processes.GetValueOrDefault(Service),
            MachineCpuSeconds = report.MachineCpuSeconds,
            Moments = [.. report.Moments.Select(moment => new ResourceMoment(
                moment, moment.Processes.GetValueOrDefault(Service), moment.Processes.GetValueOrDefault(Generator)))],
            DatabaseUnwatchedReason = "The data store of the service is not watched.",
            Notes = report.Notes,
        };
    }

    public ValueTask<TimelineReading> ReadAsync(CancellationToken cancellationToken) =>
        _timeline.ReadAsync(cancellationToken);

    public void AddTo(RunEvidence evidence)
    {
        evidence.Resources = _seen!;
        evidence.Findings = LoadTesting.Core.Analysis.Findings.FindingRules.Judge(
            _seen!.ToInputs(evidence.Load, evidence.Completed, evidence.ResponseSeconds, evidence.Counters,
                queueWaitSeconds: null));
        evidence.Notes.AddRange(_seen.Notes);
    }

    public ValueTask DisposeAsync() => _watch?.DisposeAsync() ?? ValueTask.CompletedTask;
}

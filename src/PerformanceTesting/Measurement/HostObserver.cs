using LoadTesting.Core.Analysis.Validity;
using LoadTesting.Core.Load.Watches;

namespace PerformanceTesting.Measurement;

/// <summary>How much of the processors the machine gave to others.</summary>
public sealed class HostObserver(IMeasuredSystem system) : IRunObserver
{
    private HostWatch? _watch;
    private HostSample? _sample;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        _watch = HostWatch.Start();
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        _sample = _watch!.Read();
        return Task.CompletedTask;
    }

    public void AddTo(RunEvidence evidence)
    {
        if (evidence.Completed > 0)
        {
            evidence.Environment =
                Vetoes.Judge(_sample!, evidence.Load.Health, system.ProcessId == Environment.ProcessId);
        }
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

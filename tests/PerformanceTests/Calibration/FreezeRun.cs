namespace PerformanceTests.Calibration;

/// <summary>
/// One freeze of 1.4 s in 5 s, seen side by side by an open model at 200/s and by a closed one of about the same rate.
/// </summary>
public sealed class FreezeRun : IAsyncLifetime
{
    private const double JitterLimitMs = 20;

    private static readonly TimeSpan s_during = TimeSpan.FromSeconds(5);

    internal ScenarioStats Open { get; private set; } = null!;

    internal ScenarioStats Closed { get; private set; } = null!;

    /// <summary>By the target's own clock.</summary>
    internal TimeSpan FrozenFor { get; private set; }

    internal int Attempts { get; private set; }

    internal double JitterP99Ms { get; private set; }

    /// <summary>What kept this process waiting; null where nothing did for long.</summary>
    internal string? Disturbance { get; private set; }

    public async ValueTask InitializeAsync()
    {
        var watched = await QuietMeasurement.TakeAsync(JitterLimitMs, MeasureAsync);
        JitterP99Ms = watched.Health.Process.JitterP99Ms;
        (Open, Closed) = (watched.Scenario("open"), watched.Scenario("closed"));
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task<LoadResult> MeasureAsync()
    {
        Attempts++;
        using var machine = new MachineWatch();
        var target = new FreezingTarget(TimeSpan.FromMilliseconds(10));
        target.FreezeOnOwnThread(after: TimeSpan.FromSeconds(2), during: TimeSpan.FromSeconds(1.4));
        var open =
            Calling(target, "open").WithLoadSimulations(Simulation.Inject(200, TimeSpan.FromSeconds(1), s_during));
        var closed = Calling(target, "closed").WithLoadSimulations(Simulation.KeepConstant(2, s_during));
        var watched = await new LoadRunner().RunAsync([open, closed], new LoadOptions(), Cancel);
        FrozenFor = target.FrozenFor;
        Disturbance = machine.Disturbance();
        return watched;
    }

    private static ScenarioProps Calling(FreezingTarget target, string name) => Scenario.Create(name, async context =>
    {
        await target.CallAsync(context.ScenarioCancellationToken);
        return Response.Ok();
    });
}

/// <summary>
/// Answers within milliseconds, but for one freeze during which nothing is answered. Callers wait without holding a
/// thread.
/// </summary>
internal sealed class FreezingTarget
{
    private readonly TimeSpan _service;
    private volatile TaskCompletionSource? _frozen;

    internal FreezingTarget(TimeSpan service) => _service = service;

    /// <summary>How long the freeze lasted by the target's own clock; zero before its end.</summary>
    internal TimeSpan FrozenFor { get; private set; }

    internal async Task CallAsync(CancellationToken cancellationToken)
    {
        await Task.Delay(_service, cancellationToken);
        if (_frozen is { } frozen)
        {
            await frozen.Task.WaitAsync(cancellationToken);
        }
    }

    /// <summary>
    /// Freezes <paramref name="after"/> from now <paramref name="during"/>, from a thread that no other work can delay.
    /// </summary>
    internal void FreezeOnOwnThread(TimeSpan after, TimeSpan during) => new Thread(() =>
    {
        using var never = new ManualResetEventSlim();
        never.Wait(after, CancellationToken.None);
        var thaw = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var start = Stopwatch.GetTimestamp();
        _frozen = thaw;
        never.Wait(during, CancellationToken.None);
        FrozenFor = Stopwatch.GetElapsedTime(start);
        _frozen = null;
        thaw.SetResult();
    })
    { IsBackground = true, Name = "freeze" }.Start();
}

namespace PerformanceTests.Calibration;

/// <summary>
/// Answers within milliseconds, but for one freeze during which nothing is answered. Callers wait without holding a thread.
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

    /// <summary>Freezes <paramref name="after"/> from now <paramref name="during"/>, from a thread that no other work can delay.</summary>
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

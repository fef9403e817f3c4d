using System.Runtime.InteropServices;

namespace Foundation;

/// <summary>
/// Ends a run early: at a signal (SIGINT or SIGTERM), or when a process that started the run has ended. A second signal
/// also discards the results.
/// </summary>
public sealed class RunInterruption : IDisposable
{
    private static readonly TimeSpan CheckInterval = TimeSpan.FromSeconds(0.5);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _ended = new();
    private readonly CancellationTokenSource _givenUp = new();
    private readonly IReadOnlyList<StartingProcess> _startedBy;
    private readonly PosixSignalRegistration[] _signals;
    private readonly ITimer _timer;
    private readonly Action<string>? _report;
    private int _signalsSeen;

    /// <param name="startedBy">The run ends when one of these processes has ended.</param>
    /// <param name="told">Called once with the reason when the run is to end; null for none.</param>
    /// <param name="timeProvider">Clock of the timer that checks these processes every 0.5 s.</param>
    public RunInterruption(IReadOnlyList<StartingProcess> startedBy, Action<string>? told, TimeProvider timeProvider)
    {
        ArgumentNullException.ThrowIfNull(timeProvider);
        (_startedBy, _report) = (startedBy, told);
        _signals =
        [
            PosixSignalRegistration.Create(PosixSignal.SIGINT, context => OnSignal(context, "SIGINT")),
            PosixSignalRegistration.Create(PosixSignal.SIGTERM, context => OnSignal(context, "SIGTERM")),
        ];
        var interval = startedBy.Count == 0 ? Timeout.InfiniteTimeSpan : CheckInterval;
        _timer = timeProvider.CreateTimer(_ => CheckProcesses(), null, interval, interval);
    }

    /// <summary>Cancelled when the run is to end. Results so far are kept.</summary>
    public CancellationToken Ended => _ended.Token;

    /// <summary>Cancelled by a second signal. Results are discarded.</summary>
    public CancellationToken GivenUp => _givenUp.Token;

    /// <summary>Why the run is to end; null while it is not.</summary>
    public string? Reason { get; private set; }

    public void Dispose()
    {
        _timer.Dispose();
        foreach (var signal in _signals)
        {
            signal.Dispose();
        }

        _ended.Dispose();
        _givenUp.Dispose();
    }

    private void OnSignal(PosixSignalContext context, string name)
    {
        context.Cancel = true;
        if (Interlocked.Increment(ref _signalsSeen) == 1)
        {
            End($"the process received {name}");
            return;
        }

        _givenUp.Cancel();
    }

    private void CheckProcesses()
    {
        if (_startedBy.FirstOrDefault(process => !process.Process.IsAlive) is { } gone)
        {
            _timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            End($"process {gone.Process.Id} ({gone.Name}), which started the run, has ended");
        }
    }

    private void End(string reason)
    {
        lock (_gate)
        {
            if (Reason is not null)
            {
                return;
            }

            Reason = reason;
        }

        _report?.Invoke(reason);
        _ended.Cancel();
    }
}

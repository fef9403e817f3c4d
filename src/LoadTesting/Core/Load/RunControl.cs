namespace LoadTesting.Core.Load;

/// <summary>Shared by all scenarios of a run: whether the run was stopped, and why.</summary>
internal sealed class RunControl(CancellationToken cancellationToken)
{
    private readonly Lock _lock = new();
    private readonly List<ScenarioRun> _runs = [];
    private readonly Dictionary<string, string> _stoppedScenarios = new(StringComparer.Ordinal);
    private string? _stopReason;

    /// <summary>Pulsed when the run is stopped. Threads wait on it for their schedule.</summary>
    internal object Gate { get; } = new();

    internal CancellationToken CancellationToken => cancellationToken;
    internal bool IsStopped => Volatile.Read(ref _stopReason) is not null;

    /// <summary>Null while the run goes on.</summary>
    internal string? StopReason => Volatile.Read(ref _stopReason);

    /// <summary>
    /// Adds a scenario's warm-up or measured load. It is stopped with the run or its scenario, also if that happened
    /// before.
    /// </summary>
    internal void Add(ScenarioRun run)
    {
        string? reason;
        lock (_lock)
        {
            _runs.Add(run);
            reason = StopReason ?? _stoppedScenarios.GetValueOrDefault(run.Name);
        }

        if (reason is not null)
        {
            run.SetStopped(reason);
        }
    }

    /// <summary>Stops the run: no more iterations start. The first reason is kept.</summary>
    internal void Stop(string reason)
    {
        if (Interlocked.CompareExchange(ref _stopReason, reason, null) is null)
        {
            SetStopped(reason, _ => true);
        }
    }

    /// <summary>Stops one scenario, its warm-up and its load. The first reason is kept.</summary>
    /// <exception cref="ArgumentException">The scenario does not exist.</exception>
    internal void StopScenario(string name, string reason)
    {
        lock (_lock)
        {
            if (_runs.All(run => run.Name != name))
            {
                throw new ArgumentException(
                    $"There is no scenario '{name}' to stop, only "
                        + $"{string.Join(", ", _runs.Select(run => $"'{run.Name}'").Distinct())}.",
                    nameof(name));
            }

            _stoppedScenarios.TryAdd(name, reason);
        }

        SetStopped(reason, run => run.Name == name);
    }

    private void SetStopped(string reason, Func<ScenarioRun, bool> isMeant)
    {
        ScenarioRun[] runs;
        lock (_lock)
        {
            runs = [.. _runs.Where(isMeant)];
        }

        foreach (var run in runs)
        {
            run.SetStopped(reason);
        }

        lock (Gate)
        {
            Monitor.PulseAll(Gate);
        }
    }
}

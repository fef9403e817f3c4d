using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>
/// The live figures of a run: its stage, its results so far, and the figures that its loads publish once a second.
/// Displays poll it; code that starts or times iterations does no extra work for it. Safe for concurrent use.
/// </summary>
/// <param name="metrics">The metrics that the loads publish.</param>
/// <param name="timeProvider">Dates the snapshots; the system's clock by default.</param>
public sealed class RunProgress(LoadMetrics metrics, TimeProvider? timeProvider = null)
{
    private readonly TimeProvider _time = timeProvider ?? TimeProvider.System;
    private readonly DateTimeOffset _started = (timeProvider ?? TimeProvider.System).GetUtcNow();
    private readonly Lock _gate = new();
    private DateTimeOffset _stageSince = (timeProvider ?? TimeProvider.System).GetUtcNow();
    private RunStage _stage;
    private string? _subject;
    private string? _runId;
    private RunState _state;
    private ScenarioCounts _results = new(0, 0, 0);
    private IReadOnlyList<ScenarioResult> _planned = [];
    private IReadOnlyList<ScenarioResult> _partial = [];

    /// <summary>The metrics that the loads publish.</summary>
    public LoadMetrics Metrics => metrics;

    /// <summary>Sets the name of the run's directory.</summary>
    public void Name(string runId)
    {
        lock (_gate)
        {
            _runId = runId;
        }
    }

    /// <summary>Enters a stage.</summary>
    /// <param name="subject">The full name of what is measured; as before when omitted.</param>
    public void Enter(RunStage stage, string? subject = null)
    {
        lock (_gate)
        {
            (_stage, _subject, _stageSince) = (stage, subject ?? _subject, _time.GetUtcNow());
        }
    }

    /// <summary>Sets the runs that this one waits for, as text; null if it can begin.</summary>
    public void WaitFor(string? others)
    {
        lock (_gate)
        {
            var stage = others is null ? RunStage.Preparing : RunStage.Waiting;
            (_stageSince, _stage, _subject) = (stage == _stage ? _stageSince : _time.GetUtcNow(), stage, others);
        }
    }

    /// <summary>
    /// Sets the scenarios that are measured next, with the parts of their results that are known before the load.
    /// </summary>
    public void Plan(IReadOnlyList<ScenarioResult> scenarios)
    {
        metrics.ForgetEnded();
        lock (_gate)
        {
            (_planned, _partial) = (scenarios, []);
        }
    }

    /// <summary>Takes a run to which results were added.</summary>
    /// <param name="run">The run with it.</param>
    public void Add(RunResult run)
    {
        lock (_gate)
        {
            (_results, _subject, _planned, _partial) = (ScenarioCounts.Of(run), null, [], []);
        }
    }

    /// <summary>Takes a run in which a result was replaced.</summary>
    /// <param name="run">The run with it.</param>
    public void Replace(RunResult run)
    {
        lock (_gate)
        {
            _results = ScenarioCounts.Of(run);
        }
    }

    /// <summary>Ends the run. The first call decides.</summary>
    public void End(RunState state)
    {
        lock (_gate)
        {
            if (_state == RunState.Running)
            {
                (_state, _subject) = (state, null);
            }
        }
    }

    /// <summary>Reads the current progress.</summary>
    public RunProgressSnapshot Read()
    {
        var (scenarios, process) = metrics.ReadRunning();
        lock (_gate)
        {
            if (scenarios.Count == 0 && _planned.Count > 0)
            {
                scenarios = metrics.ReadEnded();
            }

            var now = _time.GetUtcNow();
            if (_planned.Count > 0 && scenarios.Count > 0)
            {
                var began =
                    _partial.ToDictionary(known => known.Name, known => known.StartedUtc, StringComparer.Ordinal);
                _partial =
                [
                    .. scenarios.Join(
                        _planned, measured => measured.Name, planned => planned.Name,
                        (measured, planned) => UnfinishedRuns.Fill(planned, measured, now))
                        .Select(filled =>
                            filled with { StartedUtc = began.GetValueOrDefault(filled.Name) ?? filled.StartedUtc }),
                ];
            }

            return new RunProgressSnapshot(process)
            {
                State = _state,
                RunId = _runId,
                Process = ProcessOwner.Current,
                Machine = Environment.MachineName,
                BootId = Foundation.BootId.Current,
                StartedUtc = _started,
                UpdatedUtc = now,
                Subject = _subject,
                Stage = _stage,
                StageSeconds = (now - _stageSince).TotalSeconds,
                Scenarios = scenarios,
                Passed = _results.Passed,
                Failed = _results.Failed,
                Inconclusive = _results.Inconclusive,
                Partial = _partial,
            };
        }
    }
}

using Foundation;

namespace LoadTesting.Core.Reporting.Live;

/// <summary>What a run does now.</summary>
public enum RunStage
{
    /// <summary>Servers, database and system are set up.</summary>
    Preparing,

    /// <summary>Load that does not count.</summary>
    WarmingUp,

    Measuring,

    /// <summary>The load is over; completions that are still to come are waited for.</summary>
    Settling,

    /// <summary>The account is closed, the verdict found, the report written.</summary>
    Concluding,

    /// <summary>Others of this machine are waited for: they would be disturbed by it, or disturb it.</summary>
    Waiting,
}

/// <summary>Whether a run goes on.</summary>
public enum RunState
{
    Running,

    /// <summary>It came to its end.</summary>
    Ended,

    /// <summary>Somebody ended it before its time; what it had is kept.</summary>
    Interrupted,

    /// <summary>Its process was gone before it could end, and another one has kept what it had.</summary>
    Killed,
}

/// <summary>What a run is doing, as displays show it and the progress file keeps it.</summary>
public sealed record RunProgressSnapshot
{
    public RunState State { get; init; }

    /// <summary>The run's directory name; null before there is one.</summary>
    public string? RunId { get; init; }

    public required ProcessOwner Process { get; init; }

    public required string Machine { get; init; }

    /// <summary>The boot of that machine.</summary>
    public required string BootId { get; init; }

    public required DateTimeOffset StartedUtc { get; init; }

    public required DateTimeOffset UpdatedUtc { get; init; }

    /// <summary>What is measured, by its full name; null between two. In <see cref="RunStage.Waiting"/>, who is waited for.</summary>
    public string? Subject { get; init; }

    public RunStage Stage { get; init; }

    /// <summary>How long it has been in this stage, in seconds.</summary>
    public double StageSeconds { get; init; }

    /// <summary>Empty unless a load is measured.</summary>
    public IReadOnlyList<ScenarioProgress> Scenarios { get; init; } = [];

    /// <summary>Work that waits in the service, by its own gauge.</summary>
    public double? Backlog { get; init; }

    /// <summary>99th percentile of a work item's wait for a thread of the generator, milliseconds.</summary>
    public double? PoolDelayP99Ms { get; init; }

    /// <summary>Processor time of the generator over real time and cores, 0 to 1.</summary>
    public double? GeneratorCpu { get; init; }

    /// <summary>Results so far, by outcome.</summary>
    public int Passed { get; init; }

    public int Failed { get; init; }

    public int Inconclusive { get; init; }

    /// <summary>
    /// What is measured as far as it is known: the results that are left where the process is killed now. Empty unless a load is measured,
    /// or was and has no result yet.
    /// </summary>
    public IReadOnlyList<ScenarioResult> Partial { get; init; } = [];

    /// <summary>
    /// What may hold the generator back just now; null where nothing does. The verdict on the generator is found at the end,
    /// with all that was seen.
    /// </summary>
    public string? GeneratorTrouble() =>
        Scenarios.Any(s => s.IntendedPerSecond is { } intended && intended - s.StartedPerSecond > Math.Max(2, 0.05 * intended)) ? "behind"
        : Scenarios.Any(s => s.LagP99Ms > 10 && s.LagP99Ms > s.P95Ms / 10) ? "late"
        : PoolDelayP99Ms > 10 && Scenarios.All(s => PoolDelayP99Ms > s.P50Ms) ? "no free thread"
        : GeneratorCpu > 0.85 ? "processors busy"
        : null;
}

/// <summary>
/// The one source of live figures of a run: its stage, its results so far, and what its loads publish once a second. Displays read it when
/// they like; nothing that starts or times an iteration does anything for it. Safe for concurrent use.
/// </summary>
/// <param name="metrics">What the loads publish to.</param>
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
    private (int Passed, int Failed, int Inconclusive) _results;
    private IReadOnlyList<ScenarioResult> _planned = [];
    private IReadOnlyList<ScenarioResult> _partial = [];

    /// <summary>What the loads publish to.</summary>
    public LoadMetrics Metrics => metrics;

    /// <summary>The run has a directory of this name.</summary>
    public void Name(string runId)
    {
        lock (_gate)
        {
            _runId = runId;
        }
    }

    /// <summary>The run is in this stage now.</summary>
    /// <param name="subject">The full name of what is measured; as before when omitted.</param>
    public void Enter(RunStage stage, string? subject = null)
    {
        lock (_gate)
        {
            (_stage, _subject, _stageSince) = (stage, subject ?? _subject, _time.GetUtcNow());
        }
    }

    /// <summary>The run cannot begin before these have ended, in words; null: it can.</summary>
    public void WaitFor(string? others)
    {
        lock (_gate)
        {
            var stage = others is null ? RunStage.Preparing : RunStage.Waiting;
            (_stageSince, _stage, _subject) = (stage == _stage ? _stageSince : _time.GetUtcNow(), stage, others);
        }
    }

    /// <summary>These scenarios are measured next: their results as far as they are known before the load.</summary>
    public void Plan(IReadOnlyList<ScenarioResult> scenarios)
    {
        lock (_gate)
        {
            (_planned, _partial) = (scenarios, []);
        }
    }

    /// <summary>A result has been written.</summary>
    public void Add(VerdictOutcome outcome)
    {
        lock (_gate)
        {
            _results = outcome switch
            {
                VerdictOutcome.Passed => _results with { Passed = _results.Passed + 1 },
                VerdictOutcome.Failed => _results with { Failed = _results.Failed + 1 },
                _ => _results with { Inconclusive = _results.Inconclusive + 1 },
            };
            (_subject, _planned, _partial) = (null, [], []);
        }
    }

    /// <summary>The run is over. The first call decides.</summary>
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

    /// <summary>The run as it is now.</summary>
    public RunProgressSnapshot Read()
    {
        var (scenarios, process) = metrics.ReadRunning();
        lock (_gate)
        {
            var now = _time.GetUtcNow();
            if (_planned.Count > 0 && scenarios.Count > 0)
            {
                _partial = [.. scenarios.Join(
                    _planned, measured => measured.Name, planned => planned.Name,
                    (measured, planned) => UnfinishedRuns.Fill(planned, measured, now))];
            }

            return new RunProgressSnapshot
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
                Backlog = process.Backlog,
                PoolDelayP99Ms = process.PoolDelayP99Ms,
                GeneratorCpu = process.Cpu?.Generator,
                Passed = _results.Passed,
                Failed = _results.Failed,
                Inconclusive = _results.Inconclusive,
                Partial = _partial,
            };
        }
    }
}

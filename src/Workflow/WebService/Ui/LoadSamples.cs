using Workflow.Abstractions;

namespace Workflow.WebService.Ui;

/// <summary>What the engine had counted a while ago, so that a page can say what has happened since.</summary>
internal sealed class LoadSamples
{
    private static readonly TimeSpan Least = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    private readonly IWorkflowEngine _engine;
    private readonly TimeProvider _timeProvider;
    private readonly long _start;
    private readonly Lock _gate = new();
    private readonly Queue<(long At, EngineStatistics Counted)> _samples = new();

    public LoadSamples(IWorkflowEngine engine, TimeProvider timeProvider)
    {
        (_engine, _timeProvider, _start) = (engine, timeProvider, timeProvider.GetTimestamp());
    }

    public TimeSpan Uptime => _timeProvider.GetElapsedTime(_start);

    /// <summary>
    /// What had been counted at the first look of the last minute, else at the start; and how many seconds ago.
    /// </summary>
    public (EngineStatistics Counted, double Seconds) Since()
    {
        lock (_gate)
        {
            var now = _timeProvider.GetTimestamp();
            while (_samples.TryPeek(out var oldest) && _timeProvider.GetElapsedTime(oldest.At, now) > Longest)
            {
                _samples.Dequeue();
            }

            var found = _samples.TryPeek(out var first)
                ? first
                : (At: _start, Counted: _engine.Statistics.Since(_engine.Statistics));
            if (_samples.Count == 0 || _timeProvider.GetElapsedTime(_samples.Last().At, now) > Least)
            {
                _samples.Enqueue((now, _engine.Statistics));
            }

            return (found.Counted, _timeProvider.GetElapsedTime(found.At, now).TotalSeconds);
        }
    }
}

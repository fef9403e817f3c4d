namespace LoadTesting.Core.Reporting.Live;

/// <summary>A plain line every few seconds, for pipes and logs. Scenarios that end sooner are not mentioned.</summary>
/// <param name="write">Takes a line.</param>
/// <param name="every">Default 5 s.</param>
public sealed class ProgressLines(Action<string> write, TimeSpan? every = null) : IProgressOutput
{
    private readonly double _every = (every ?? TimeSpan.FromSeconds(5)).TotalSeconds;
    private string? _subject;
    private DateTimeOffset _last = DateTimeOffset.MinValue;

    public void Show(RunProgressSnapshot run)
    {
        if (run.Subject != _subject || run.State != RunState.Running)
        {
            (_subject, _last) = (run.Subject, run.UpdatedUtc);
        }
        else if ((run.UpdatedUtc - _last).TotalSeconds >= _every - 0.5)
        {
            _last = run.UpdatedUtc;
            foreach (var line in ProgressText.Lines(run))
            {
                write(line);
            }
        }
    }

    public void Dispose()
    {
        // The writer is the caller's.
    }
}

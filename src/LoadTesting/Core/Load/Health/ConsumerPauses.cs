namespace LoadTesting.Core.Load.Health;

/// <summary>
/// Finds times in which the single reader of events worked without a break, from its total work at successive moments.
/// Between two moments at least 50 ms apart it must have worked for nine tenths of the time: a reader that keeps up
/// waits for the next event in between.
/// </summary>
internal sealed class ConsumerPauses
{
    private const double NoBreak = 0.9;

    private (long At, TimeSpan Worked)? _last;

    /// <param name="at">In Stopwatch ticks.</param>
    /// <param name="worked">Total work until then.</param>
    /// <param name="samples">Receives the pause, if there is one.</param>
    internal void Add(long at, TimeSpan worked, LoadSamples samples)
    {
        if (_last is { } last)
        {
            if (at - last.At < LoadSamples.ShortestPause)
            {
                return;
            }

            if (worked - last.Worked >= NoBreak * StopwatchTime.ToTimeSpan(at - last.At))
            {
                samples.AddPause(new Pause(last.At, at, PauseKind.Consumer));
            }
        }

        _last = (at, worked);
    }
}

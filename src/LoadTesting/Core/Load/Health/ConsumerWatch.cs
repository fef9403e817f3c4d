namespace LoadTesting.Core.Load.Health;

/// <summary>Watches the single reader of all events. Used by one thread at a time.</summary>
/// <param name="work">Returns its total work so far.</param>
internal sealed class ConsumerWatch(Func<TimeSpan> work)
{
    private readonly List<double> _shares = [];
    private readonly ConsumerPauses _pauses = new();
    private (long At, TimeSpan Worked) _last = (Stopwatch.GetTimestamp(), work());

    /// <summary>The share of each interval that it spent working, 0 to 1.</summary>
    internal IReadOnlyList<double> Shares => _shares;

    /// <summary>Ends an interval if it is long enough.</summary>
    internal void EndInterval(TimeSpan atLeast)
    {
        if (Stopwatch.GetElapsedTime(_last.At) is var real && real >= atLeast)
        {
            var worked = work();
            _shares.Add((worked - _last.Worked) / real);
            _last = (Stopwatch.GetTimestamp(), worked);
        }
    }

    /// <summary>Adds the time since the last call as a pause, if the reader worked without a break.</summary>
    internal void AddPauseTo(LoadSamples samples) => _pauses.Add(Stopwatch.GetTimestamp(), work(), samples);
}

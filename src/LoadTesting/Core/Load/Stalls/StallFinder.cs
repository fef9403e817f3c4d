namespace LoadTesting.Core.Load.Stalls;

/// <summary>
/// Finds times without a completion. Takes the completions of all processors in order of time. Not safe for concurrent
/// use.
/// </summary>
internal sealed class StallFinder
{
    /// <summary>Gaps under 250 ms are never stalls, in Stopwatch ticks.</summary>
    internal static readonly long Shortest = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(250));

    /// <summary>Minimum length of a stall in median service times: shorter gaps are the pace of the load.</summary>
    internal const int Medians = 10;

    private const int MostKept = 4_096;

    private readonly List<Stall> _found = [];
    private long _last;

    internal void BeginAt(long timestamp) => _last = timestamp;

    internal void Add(CompletionSpan span)
    {
        Add(Math.Max(_last, span.BusySince), span.First, span.InFlight);
        _last = Math.Max(_last, span.Last);
    }

    /// <summary>Ends the run at a time when iterations are still in flight.</summary>
    internal void EndAt(long timestamp, DrainGate inFlight) =>
        Add(Math.Max(_last, inFlight.BusySince), timestamp, inFlight.Busy);

    internal IReadOnlyList<Stall> LongerThan(long shortest) => [.. _found.Where(stall => stall.Length >= shortest)];

    private void Add(long from, long to, long inFlight)
    {
        if (to - from < Shortest)
        {
            return;
        }

        _found.Add(new Stall(from, to, inFlight));
        if (_found.Count > MostKept)
        {
            // That many gaps are the pace of the load. Keep the longest.
            var longest = _found.OrderByDescending(stall => stall.Length).Take(MostKept / 2).ToHashSet();
            _found.RemoveAll(stall => !longest.Contains(stall));
        }
    }
}

namespace LoadTesting.Core.Load;

/// <summary>Completions on one processor that follow each other without a long gap.</summary>
/// <param name="First">When the first was seen, in Stopwatch ticks.</param>
/// <param name="Last">When the last was seen.</param>
/// <param name="BusySince">Since when, at the first, something had been in flight without a break.</param>
/// <param name="InFlight">Iterations in flight at the first.</param>
internal readonly record struct CompletionSpan(long First, long Last, long BusySince, long InFlight);

/// <summary>Nothing completed although work was in flight.</summary>
/// <param name="From">In Stopwatch ticks.</param>
/// <param name="To">The next completion, or the end of the run.</param>
/// <param name="InFlight">Iterations in flight at the end of it.</param>
internal readonly record struct Stall(long From, long To, long InFlight)
{
    internal long Length => To - From;
}

/// <summary>
/// Finds the times without a completion from the completions of all processors, in order of time. Not safe for concurrent use.
/// </summary>
internal sealed class StallFinder
{
    /// <summary>Gaps under 250 ms are never stalls, in Stopwatch ticks.</summary>
    internal static readonly long Shortest = StopwatchTime.FromTimeSpan(TimeSpan.FromMilliseconds(250));

    /// <summary>A stall lasts at least so many median service times: less is what the load is like.</summary>
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

    /// <summary>The run ends here, and something never completed.</summary>
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
            // So many are the pace of the load and no stalls of it; the longest stay.
            var longest = _found.OrderByDescending(stall => stall.Length).Take(MostKept / 2).ToHashSet();
            _found.RemoveAll(stall => !longest.Contains(stall));
        }
    }
}

/// <summary>Decides whose a stall is, by what else stood still at the time.</summary>
internal static class StallBlame
{
    /// <summary>From this share of a stall on, what explains it is its cause; from a quarter on it is in doubt.</summary>
    private const double Explained = 0.5;

    private const double InDoubt = 0.25;

    /// <summary>From this share of the machine on, the system's own use of it is why others had to wait.</summary>
    private const double OwnLoad = 0.75;

    internal static StallCause Of(Stall stall, LoadSamples samples, bool isSystemInSameProcess)
    {
        var collector = samples.PausedShare(stall.From, stall.To, PauseKind.Collector);
        var ticker = samples.PausedShare(stall.From, stall.To, PauseKind.Process);
        var pool = isSystemInSameProcess ? 0 : samples.PausedShare(stall.From, stall.To, PauseKind.Pool);

        // The one reader that works on what has come sees no completion meanwhile. Idle it is no excuse, nor busy now and then, as one is
        // that keeps up. In the system's own process the system itself hands events out: what holds that up is its own.
        var consumer = isSystemInSameProcess ? 0 : samples.LongestPauseShare(stall.From, stall.To, PauseKind.Consumer);

        // A machine that others keep busy while the run only waits for an answer is no reason: the run's own threads must have wanted it.
        var taken = (samples.StolenShare(stall.From, stall.To) ?? 0) + (samples.WaitedShare(stall.From, stall.To) ?? 0);
        var machine = Math.Max(ticker - collector, taken);
        if (machine >= InDoubt && samples.OwnShare(stall.From, stall.To) >= OwnLoad)
        {
            // Busy with this very run: in process that is the system, and over HTTP nobody can say whose threads had to wait.
            machine = isSystemInSameProcess ? 0 : InDoubt;
        }

        if (machine >= Explained)
        {
            return StallCause.Machine;
        }

        // A pause of the collector stops system and generator alike where they are one process.
        var generator = Math.Max(Math.Max(pool, consumer), isSystemInSameProcess ? Math.Min(collector, InDoubt) : collector);
        return generator >= Explained ? StallCause.Generator
            : Math.Max(generator, machine) >= InDoubt || machine + generator >= Explained ? StallCause.Unknown
            : StallCause.System;
    }
}

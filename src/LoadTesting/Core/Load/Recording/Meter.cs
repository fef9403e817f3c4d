namespace LoadTesting.Core.Load.Recording;

/// <summary>
/// What was recorded of a scenario or a step: successes, failures, schedule lag. Not safe for concurrent writers.
/// </summary>
internal sealed class Meter
{
    /// <summary>
    /// Stands for the lag of an iteration without an intended start, in a scenario whose other iterations have one.
    /// </summary>
    internal const long NoSchedule = long.MinValue;

    internal MeterSide Ok { get; private set; } = new();
    internal MeterSide Fail { get; private set; } = new();
    internal LatencyHistogram ScheduleLag { get; private set; } = new();
    internal long EndBeforeStart { get; private set; }

    /// <summary>The latest end seen, in Stopwatch ticks; 0 before the first.</summary>
    internal long LastEnd { get; private set; }

    /// <summary>
    /// When set, measurements that come too late are ignored: they must not change a result that has been read.
    /// </summary>
    internal bool IsClosed { get; set; }

    internal void Record(long start, long end, long lagTicks, bool isOpen, IResponse response)
    {
        if (IsClosed)
        {
            return;
        }

        if (end < start)
        {
            EndBeforeStart++;
        }

        if (isOpen && lagTicks != NoSchedule)
        {
            ScheduleLag.RecordStopwatchTicks(lagTicks);
        }

        (response.IsError ? Fail : Ok)
            .Record(Math.Max(end - start, 0), lagTicks == NoSchedule ? 0 : lagTicks, isOpen, response);
        LastEnd = Math.Max(LastEnd, end);
    }

    /// <summary>Adds everything to <paramref name="other"/> and starts again empty.</summary>
    internal void MoveTo(Meter other)
    {
        other.Merge(this);
        (Ok, Fail, ScheduleLag, EndBeforeStart, LastEnd) =
            (new MeterSide(), new MeterSide(), new LatencyHistogram(), 0, 0);
    }

    internal void Merge(Meter other)
    {
        Ok.Merge(other.Ok);
        Fail.Merge(other.Fail);
        ScheduleLag.Merge(other.ScheduleLag);
        EndBeforeStart += other.EndBeforeStart;
        LastEnd = Math.Max(LastEnd, other.LastEnd);
    }
}

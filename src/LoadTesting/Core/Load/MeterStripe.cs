namespace LoadTesting.Core.Load;

/// <summary>Everything one processor has recorded for a scenario or step; merged at the end. Not safe for concurrent writers.</summary>
internal sealed class MeterStripe
{
    internal MeterSide Ok { get; } = new();

    internal MeterSide Fail { get; } = new();

    internal LatencyHistogram ScheduleLag { get; } = new();

    internal long EndBeforeStart { get; private set; }

    /// <summary>The latest end seen, in Stopwatch ticks; 0 before the first.</summary>
    internal long LastEnd { get; private set; }

    /// <summary>Once closed, a straggler's measurement no longer changes a result that has been read.</summary>
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

        if (isOpen)
        {
            ScheduleLag.RecordStopwatchTicks(lagTicks);
        }

        (response.IsError ? Fail : Ok).Record(Math.Max(end - start, 0), lagTicks, isOpen, response);
        LastEnd = Math.Max(LastEnd, end);
    }

    internal void Merge(MeterStripe other)
    {
        Ok.Merge(other.Ok);
        Fail.Merge(other.Fail);
        ScheduleLag.Merge(other.ScheduleLag);
        EndBeforeStart += other.EndBeforeStart;
        LastEnd = Math.Max(LastEnd, other.LastEnd);
    }
}

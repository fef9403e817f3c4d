namespace PerformanceTesting.Subjects;

/// <summary>
/// How long messages were on their way, summed: the integral over time of how many are. One that is taken before its sender knows that it
/// left counts as negative for that long, which its sender's own account makes up for.
/// </summary>
internal sealed class TransitGauge
{
    private readonly Lock _gate = new();
    private long _inTransit;
    private Int128 _ticks;

    /// <summary>The integral, in message seconds.</summary>
    public double Seconds
    {
        get
        {
            lock (_gate)
            {
                return (double)(((Int128)_inTransit * Stopwatch.GetTimestamp()) - _ticks) / Stopwatch.Frequency;
            }
        }
    }

    /// <summary>One was handed over.</summary>
    public void Left() => Add(1);

    /// <summary>One was taken.</summary>
    public void Arrived() => Add(-1);

    private void Add(int count)
    {
        lock (_gate)
        {
            _inTransit += count;
            _ticks += (Int128)count * Stopwatch.GetTimestamp();
        }
    }
}

namespace LoadTesting.Core.Load;

/// <summary>Exponentially distributed gaps by inversion, -ln(1-u) times the mean; the same seed gives the same arrivals.</summary>
internal sealed class PoissonArrivalSchedule(int rate, long interval, long during, int seed) : ArrivalSchedule
{
    private readonly Random _random = new(seed);
    private readonly double _meanGap = (double)interval / rate;
    private double _last;

    internal override bool TryNext(out long offset)
    {
        _last += -Math.Log(1 - _random.NextDouble()) * _meanGap;
        offset = _last < during ? (long)_last : during;
        return offset < during;
    }
}

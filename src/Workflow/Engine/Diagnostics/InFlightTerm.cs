namespace Workflow.Engine.Diagnostics;

/// <summary>
/// One term of the in-flight integral: how many instances passed a point (enter, leave), and the sum of the times at
/// which they did. With n entered at times that sum up to a, and m left at times that sum up to b, the integral of the
/// instances in flight up to a time t is (n - m) t - (a - b). Two numbers a point, and no history.
/// </summary>
internal sealed class InFlightTerm
{
    private readonly Lock _gate = new();
    private long _count;
    private Int128 _ticks;

    public void Add(long count, Int128 ticks)
    {
        lock (_gate)
        {
            _count += count;
            _ticks += ticks;
        }
    }

    public (long Count, Int128 Ticks) Read()
    {
        lock (_gate)
        {
            return (_count, _ticks);
        }
    }
}

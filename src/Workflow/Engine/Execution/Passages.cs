namespace Workflow.Engine.Execution;

/// <summary>
/// How many passed a point, and the sum of the moments at which they did. With n entered at a sum of a, and m left at a sum of b, the integral
/// of what is in between is, at any moment t without a step in between, (n - m) t - (a - b): no history, and two numbers a passage.
/// </summary>
internal sealed class Passages
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

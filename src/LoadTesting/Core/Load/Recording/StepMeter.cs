namespace LoadTesting.Core.Load.Recording;

/// <summary>
/// Records schedule lag, service time and response time of a step from many threads: a <see cref="Meter"/> per
/// processor. Each record takes one uncontended lock.
/// </summary>
internal sealed class StepMeter(bool isOpen)
{
    private readonly StripeSet<Meter> _stripes = new(() => new Meter());
    private readonly Lock _gate = new();
    private readonly Meter _whole = new();
    private Meter _sinceTaken = new();
    private bool _isClosed;

    internal void Record(long start, long end, long lagTicks, IResponse response)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.Record(start, end, lagTicks, isOpen, response);
    }

    /// <summary>Everything recorded since the last call. May be called after <see cref="Close"/>.</summary>
    internal Meter Take()
    {
        lock (_gate)
        {
            if (!_isClosed)
            {
                Gather();
            }

            var taken = _sinceTaken;
            _sinceTaken = new Meter();
            return taken;
        }
    }

    /// <summary>Stops recording and returns everything recorded.</summary>
    internal Meter Close()
    {
        lock (_gate)
        {
            _stripes.ForEach(stripe => stripe.IsClosed = true);
            Gather();
            _isClosed = true;
            return _whole;
        }
    }

    private void Gather()
    {
        _stripes.ForEach(stripe => stripe.MoveTo(_sinceTaken));
        _whole.Merge(_sinceTaken);
    }
}

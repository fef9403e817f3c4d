namespace LoadTesting.Core.Load;

/// <summary>The three clocks of a scenario or step: schedule lag, service time, response time. One uncontended lock for each record.</summary>
internal sealed class Meter(bool isOpen)
{
    private readonly StripeSet<MeterStripe> _stripes = new(() => new MeterStripe());

    internal void Record(long start, long end, long lagTicks, IResponse response)
    {
        using var stripe = _stripes.Enter();
        stripe.Value.Record(start, end, lagTicks, isOpen, response);
    }

    /// <summary>Everything recorded until now; nothing is recorded any more.</summary>
    internal MeterStripe Close()
    {
        var whole = new MeterStripe();
        _stripes.ForEach(stripe =>
        {
            stripe.IsClosed = true;
            whole.Merge(stripe);
        });
        return whole;
    }
}

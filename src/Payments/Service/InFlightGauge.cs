using System.Diagnostics;

namespace Payments.Service;

/// <summary>
/// Payments that this service accepted and that are not completed, by it or by another one on the same broker, and the
/// integral of their number over its own monotonic clock. What a service before it accepted is not among them.
/// </summary>
internal sealed class InFlightGauge
{
    private readonly Lock _gate = new();
    private readonly HashSet<Guid> _payments = [];
    private long _since = Stopwatch.GetTimestamp();
    private double _seconds;

    public void Enter(Guid payment)
    {
        lock (_gate)
        {
            Accrue();
            _payments.Add(payment);
        }
    }

    public void Leave(Guid payment)
    {
        lock (_gate)
        {
            Accrue();
            _payments.Remove(payment);
        }
    }

    /// <summary>The number now, and its integral so far, in payments x seconds.</summary>
    public (int Count, double Seconds) Read()
    {
        lock (_gate)
        {
            Accrue();
            return (_payments.Count, _seconds);
        }
    }

    private void Accrue()
    {
        var now = Stopwatch.GetTimestamp();
        _seconds += _payments.Count * Stopwatch.GetElapsedTime(_since, now).TotalSeconds;
        _since = now;
    }
}

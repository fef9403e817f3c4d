using static System.FormattableString;

namespace PerformanceTesting.Measurement;

/// <summary>What the generator of a load that saturates the machine by design can do, and what it did.</summary>
/// <param name="Users">At a time.</param>
/// <param name="NoOpPerSecond">Requests that do nothing, by as many users on the same service in the same run.</param>
/// <param name="RequestsPerSecond">Requests of the load.</param>
public sealed record SaturationEvidence(int Users, double NoOpPerSecond, double RequestsPerSecond)
{
    private const double LeastHeadroom = 1.5;

    /// <summary>
    /// Whether the generator may be what is measured: what it can do is less than one and a half times what it did.
    /// </summary>
    public bool IsGeneratorBound => !(NoOpPerSecond >= LeastHeadroom * RequestsPerSecond);

    public override string ToString() =>
        Invariant($"{Users} users get {NoOpPerSecond:0} requests/s that do nothing and ")
        + Invariant($"{RequestsPerSecond:0}/s of the load, {NoOpPerSecond / RequestsPerSecond:0.0} times as many: ")
        + (IsGeneratorBound
            ? $"the generator is the limit below {LeastHeadroom.ToString("0.0", System.Globalization.CultureInfo.InvariantCulture)}"
            : "the machine is saturated, not the generator, and latency is that of a saturated machine");
}

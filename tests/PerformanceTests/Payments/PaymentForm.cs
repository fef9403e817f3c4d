using LoadTesting.Core.Load;

namespace PerformanceTests.Payments;

/// <summary>One size of a payment scenario.</summary>
/// <param name="Name">Name without the profile.</param>
/// <param name="Tier">The tier it runs in.</param>
/// <param name="Rate">Operations that begin in every <paramref name="Interval"/>, whether or not earlier ones have ended.</param>
/// <param name="Interval">The time that the rate refers to.</param>
/// <param name="During">How long operations begin; a whole number of intervals.</param>
public sealed record PaymentForm(string Name, string Tier, int Rate, TimeSpan Interval, TimeSpan During)
{
    /// <summary>Operations that warm up and are not counted. Default 32.</summary>
    public int WarmUpOperations { get; init; } = 32;

    /// <summary>Operations in all.</summary>
    public int Operations => (int)(Rate * During.Ticks / Interval.Ticks);

    internal LoadSimulation Load => Simulation.Inject(Rate, Interval, During);

    /// <summary>So many a second for so many seconds.</summary>
    public static PaymentForm PerSecond(string name, string tier, int rate, int seconds) =>
        new(name, tier, rate, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(seconds));
}

namespace PerformanceTesting.Subjects.Payments;

/// <summary>One size of a payment scenario.</summary>
/// <param name="Name">Name without the profile.</param>
/// <param name="Tier">The tier it runs in.</param>
/// <param name="Rate">
/// Operations that begin in every <paramref name="Interval"/>, whether or not earlier ones have ended.
/// </param>
/// <param name="Interval">The time that the rate refers to.</param>
/// <param name="During">How long operations begin; a whole number of intervals.</param>
public sealed record PaymentVariant(string Name, string Tier, int Rate, TimeSpan Interval, TimeSpan During)
{
    /// <summary>Operations that warm up and are not counted. Default 32.</summary>
    public int WarmUpOperations { get; init; } = 32;

    public int Operations => (int)(Rate * During.Ticks / Interval.Ticks);

    /// <summary>Operations at a time, in a closed load. Null (the default) for an open load at the rate.</summary>
    public int? Copies { get; init; }

    internal LoadSimulation Load => Copies is { } copies
        ? Simulation.IterationsForConstant(copies, Operations)
        : Simulation.Inject(Rate, Interval, During);

    /// <summary>The small form, for correctness: all operations evenly within half a second.</summary>
    public static PaymentVariant Small(string name, int operations) =>
        new(name, TierNames.Smoke, operations, TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(0.5));

    /// <summary>An open load at a rate per second.</summary>
    public static PaymentVariant PerSecond(string name, string tier, int rate, int seconds) =>
        new(name, tier, rate, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(seconds));

    /// <summary>A closed load of a number of operations.</summary>
    public static PaymentVariant AtATime(string name, string tier, int copies, int operations) =>
        PerSecond(name, tier, operations, seconds: 1) with { Copies = copies };
}

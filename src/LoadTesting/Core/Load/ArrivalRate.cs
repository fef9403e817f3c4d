namespace LoadTesting.Core.Load;

/// <summary>Arrivals in each interval, kept as the two numbers that were given, so that nothing is rounded.</summary>
internal readonly record struct ArrivalRate(int Iterations, TimeSpan Interval)
{
    /// <summary>Before the first simulation, and after a pause.</summary>
    internal static ArrivalRate None { get; } = new(0, TimeSpan.FromSeconds(1));
}

namespace LoadTesting.Core.Load.Pacing;

/// <summary>Arrivals per interval. Keeps both numbers as given, so that nothing is rounded.</summary>
internal readonly record struct ArrivalRate(int Iterations, TimeSpan Interval)
{
    /// <summary>The rate before the first simulation and after a pause.</summary>
    internal static ArrivalRate None { get; } = new(0, TimeSpan.FromSeconds(1));
}

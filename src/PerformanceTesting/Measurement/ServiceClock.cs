namespace PerformanceTesting.Measurement;

/// <summary>A clock of the service beside that of this machine.</summary>
/// <param name="Offset">The service's clock less this one.</param>
/// <param name="Error">What that is known to within: half of a round trip.</param>
public sealed record ServiceClock(TimeSpan Offset, TimeSpan Error);

namespace LoadTesting.Core.Results;

/// <summary>The throughput that a resource would allow by itself: servers / demand.</summary>
/// <param name="Resource">The resource in words.</param>
/// <param name="SecondsPerOperation">What an operation needs of it, seconds.</param>
/// <param name="Servers">How many there are of it.</param>
/// <param name="Utilisation">Its busy share at the rung the demand was taken from, 0 to 1.</param>
/// <param name="PerSecond">The bound, operations per second.</param>
public sealed record BoundResult(string Resource, double SecondsPerOperation, double Servers, double Utilisation, double PerSecond);

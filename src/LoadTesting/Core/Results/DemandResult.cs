namespace LoadTesting.Core.Results;

/// <summary>What one operation needs of one resource: by the utilisation law no more than servers / demand can be done in a second.</summary>
/// <param name="Resource">The resource in words, e.g. <c>service CPU</c>.</param>
/// <param name="SecondsPerOperation">D = busy time / completed operations, seconds; 0 or more.</param>
/// <param name="Servers">How many there are of it, e.g. cores; over 0.</param>
public sealed record DemandResult(string Resource, double SecondsPerOperation, double Servers);

namespace LoadTesting.Core.Analysis.Findings;

/// <summary>A connection pool over the measured part.</summary>
/// <param name="MaxConnections">Connections it may hold; over 0.</param>
/// <param name="AverageUsed">Connections in use on average.</param>
/// <param name="AverageWaiting">Requests that waited for a connection, on average.</param>
/// <param name="Timeouts">Requests that timed out waiting for a connection.</param>
public sealed record ConnectionPoolUse(int MaxConnections, double AverageUsed, double AverageWaiting, long Timeouts);

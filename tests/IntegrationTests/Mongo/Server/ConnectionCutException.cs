namespace IntegrationTests.Mongo.Server;

/// <summary>Thrown where a test wants the connection cut.</summary>
internal sealed class ConnectionCutException() : Exception("The test cuts the connection.");

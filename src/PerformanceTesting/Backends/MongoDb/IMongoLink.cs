namespace PerformanceTesting.Backends.MongoDb;

/// <summary>A client of a MongoDB server. Thread-safe.</summary>
public interface IMongoLink : IDisposable
{
    /// <summary>Runs a command on the primary.</summary>
    /// <param name="database">Where; <c>admin</c> for what concerns the whole server.</param>
    /// <param name="command">Extended JSON, the command's name first.</param>
    /// <param name="cancellationToken">Ends the wait; without it, fifteen seconds do.</param>
    /// <returns>The reply, as relaxed Extended JSON.</returns>
    /// <exception cref="MongoRefusalException">The server refuses, or none answers.</exception>
    Task<JsonElement> RunAsync(string database, string command, CancellationToken cancellationToken);
}

using MongoDB.Bson;
using MongoDB.StandIn;

namespace MongoDB.Driver;

public sealed class MongoClientSettings
{
    public string? ApplicationName { get; set; }

    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(30);

    public ReadConcern ReadConcern { get; set; } = ReadConcern.Default;

    public ReadPreference ReadPreference { get; set; } = ReadPreference.Primary;

    public bool RetryReads { get; set; } = true;

    public bool RetryWrites { get; set; } = true;

    public TimeSpan ServerSelectionTimeout { get; set; } = TimeSpan.FromSeconds(30);

    public IEnumerable<MongoServerAddress> Servers { get; set; } = [new("localhost", 27017)];

    public TimeSpan SocketTimeout { get; set; }

    public TimeSpan WaitQueueTimeout { get; set; } = TimeSpan.FromMinutes(2);

    public WriteConcern WriteConcern { get; set; } = WriteConcern.Acknowledged;

    /// <summary>A credential object in the original.</summary>
    internal (string? User, string? Password) Login { get; private init; }

    public static MongoClientSettings FromUrl(MongoUrl url) =>
        new() { Servers = url.Servers, ApplicationName = url.ApplicationName, Login = (url.Username, url.Password) };
}

/// <summary>A client of the server in this process that stands at the first of its addresses.</summary>
public sealed partial class MongoClient(MongoClientSettings settings) : IMongoClient
{
    public MongoClientSettings Settings => settings;

    internal StubServer Server { get; } = StubServer.At(settings.Servers.First().ToString());

    public IMongoDatabase GetDatabase(string name) => new StubDatabase(this, name, settings.ReadConcern, settings.WriteConcern);

    public async Task<IClientSessionHandle> StartSessionAsync(ClientSessionOptions? options = null, CancellationToken cancellationToken = default)
    {
        await Server.ConnectAsync(settings, cancellationToken);
        return new StubSession(Server, options?.DefaultTransactionOptions);
    }

    public void Dispose()
    {
        // Nothing of its own: sessions end by themselves.
    }
}

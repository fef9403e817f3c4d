using MongoDB.Bson;
using MongoDB.StandIn;

namespace MongoDB.Driver;

public interface IMongoClient : IDisposable
{
    MongoClientSettings Settings { get; }

    IMongoDatabase GetDatabase(string name);

    Task<IClientSessionHandle> StartSessionAsync(ClientSessionOptions? options = null, CancellationToken cancellationToken = default);
}

public interface IMongoDatabase
{
    IMongoCollection<TDocument> GetCollection<TDocument>(string name);

    Task<TResult> RunCommandAsync<TResult>(
        Command<TResult> command, ReadPreference? readPreference = null, CancellationToken cancellationToken = default);
}

public interface IMongoCollection<TDocument>
{
    Task<BulkWriteResult<TDocument>> BulkWriteAsync(
        IEnumerable<WriteModel<TDocument>> requests, BulkWriteOptions? options = null, CancellationToken cancellationToken = default);

    Task<BulkWriteResult<TDocument>> BulkWriteAsync(
        IClientSessionHandle session, IEnumerable<WriteModel<TDocument>> requests, BulkWriteOptions? options = null,
        CancellationToken cancellationToken = default);

    Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        FilterDefinition<TDocument> filter, FindOptions<TDocument, TProjection>? options = null,
        CancellationToken cancellationToken = default);

    Task<IAsyncCursor<TProjection>> FindAsync<TProjection>(
        IClientSessionHandle session, FilterDefinition<TDocument> filter, FindOptions<TDocument, TProjection>? options = null,
        CancellationToken cancellationToken = default);

    IMongoCollection<TDocument> WithReadConcern(ReadConcern readConcern);

    IMongoCollection<TDocument> WithWriteConcern(WriteConcern writeConcern);

    Task<IChangeStreamCursor<TResult>> WatchAsync<TResult>(
        PipelineDefinition<ChangeStreamDocument<TDocument>, TResult> pipeline, ChangeStreamOptions? options = null,
        CancellationToken cancellationToken = default);
}

public class FindOptions<TDocument, TProjection>
{
    public int? Limit { get; set; }

    public TimeSpan? MaxTime { get; set; }

    public ProjectionDefinition<TDocument, TProjection>? Projection { get; set; }

    public SortDefinition<TDocument>? Sort { get; set; }
}

public sealed class FindOptions<TDocument> : FindOptions<TDocument, TDocument>;

public interface IClientSession : IDisposable
{
    bool IsInTransaction { get; }

    IServerSession ServerSession { get; }

    Task AbortTransactionAsync(CancellationToken cancellationToken = default);

    Task CommitTransactionAsync(CancellationToken cancellationToken = default);

    void StartTransaction(TransactionOptions? transactionOptions = null);
}

public interface IClientSessionHandle : IClientSession;

public interface IServerSession : IDisposable
{
    BsonDocument Id { get; }
}

public interface IAsyncCursor<out TDocument> : IDisposable
{
    IEnumerable<TDocument> Current { get; }

    Task<bool> MoveNextAsync(CancellationToken cancellationToken = default);
}

public static class IAsyncCursorExtensions
{
    public static async Task<List<TDocument>> ToListAsync<TDocument>(
        this IAsyncCursor<TDocument> source, CancellationToken cancellationToken = default)
    {
        var all = new List<TDocument>();
        using (source)
        {
            while (await source.MoveNextAsync(cancellationToken))
            {
                all.AddRange(source.Current);
            }
        }

        return all;
    }
}

public sealed class MongoClientSettings
{
    public string? ApplicationName { get; set; }

    public TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(30);

    public ReadConcern ReadConcern { get; set; } = ReadConcern.Default;

    public ReadPreference ReadPreference { get; set; } = ReadPreference.Primary;

    public bool RetryWrites { get; set; } = true;

    public TimeSpan ServerSelectionTimeout { get; set; } = TimeSpan.FromSeconds(30);

    public IEnumerable<MongoServerAddress> Servers { get; set; } = [new("localhost:27017")];

    public TimeSpan SocketTimeout { get; set; }

    public TimeSpan WaitQueueTimeout { get; set; } = TimeSpan.FromMinutes(2);

    public WriteConcern WriteConcern { get; set; } = WriteConcern.Acknowledged;

    /// <summary>A credential object in the original.</summary>
    internal (string? User, string? Password) Login { get; private init; }

    public static MongoClientSettings FromUrl(MongoUrl url) =>
        new() { Servers = url.Servers, ApplicationName = url.ApplicationName, Login = (url.Username, url.Password) };
}

/// <summary>A client of the server in this process that stands at the first of its addresses.</summary>
public sealed class MongoClient(MongoClientSettings settings) : IMongoClient
{
    public MongoClientSettings Settings => settings;

    internal FakeServer Server { get; } = FakeServer.At(settings.Servers.First().ToString());

    public IMongoDatabase GetDatabase(string name) => new FakeDatabase(this, name, settings.ReadConcern, settings.WriteConcern);

    public async Task<IClientSessionHandle> StartSessionAsync(
        ClientSessionOptions? options = null, CancellationToken cancellationToken = default)
    {
        await Server.ConnectAsync(settings, cancellationToken);
        return new FakeSession(Server);
    }

    public void Dispose()
    {
        // Nothing of its own: sessions end by themselves.
    }
}

public sealed class MongoServerAddress(string hostAndPort)
{
    public override string ToString() => hostAndPort;
}

/// <summary>
/// <c>mongodb://user:password@host:port,host:port/database?option=value</c>; a text that is not of that form is repeated in the error. The
/// original does so too, with <c>&lt;hidden&gt;</c> for user and password.
/// </summary>
public sealed class MongoUrl
{
    public MongoUrl(string url)
    {
        if (!Uri.TryCreate(url.Split(',')[0], UriKind.Absolute, out var first) || first.Scheme is not ("mongodb" or "mongodb+srv")
            || first.Host.Length == 0)
        {
            throw new MongoConfigurationException($"The connection string '{url}' is not valid.");
        }

        var rest = url[(url.IndexOf("://", StringComparison.Ordinal) + 3)..];
        var options = rest.IndexOf('?', StringComparison.Ordinal) is var mark and >= 0 ? rest[(mark + 1)..] : "";
        rest = rest.Split('?')[0];
        var at = rest.LastIndexOf('@');
        if (at >= 0)
        {
            var user = rest[..at].Split(':', 2);
            (Username, Password) = (Uri.UnescapeDataString(user[0]), user.Length > 1 ? Uri.UnescapeDataString(user[1]) : null);
        }

        var place = rest[(at + 1)..].Split('/', 2);
        DatabaseName = place.Length > 1 && place[1].Length > 0 ? Uri.UnescapeDataString(place[1]) : null;
        Servers = [.. place[0].Split(',')
            .Select(s => new MongoServerAddress(s.Contains(':', StringComparison.Ordinal) ? s : $"{s}:27017"))];
        ApplicationName = options.Split('&').Select(o => o.Split('=', 2)).FirstOrDefault(o => o is ["appName", _])?[1];
    }

    public string? ApplicationName { get; }

    public string? DatabaseName { get; }

    public string? Password { get; }

    public IEnumerable<MongoServerAddress> Servers { get; }

    public string? Username { get; }
}

public sealed class ChangeStreamOptions
{
    public TimeSpan? MaxAwaitTime { get; set; }

    public BsonDocument? ResumeAfter { get; set; }
}

/// <summary>Only names the type of what a pipeline takes.</summary>
public sealed class ChangeStreamDocument<TDocument>;

public interface IChangeStreamCursor<out TDocument> : IAsyncCursor<TDocument>
{
    BsonDocument? GetResumeToken();
}

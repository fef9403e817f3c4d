using MongoDB.Bson;
using MongoDB.Bson.IO;
using MongoDB.Driver;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Stores.MongoDb;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>MongoDB's driver itself.</summary>
internal sealed class MongoDriver : IMongoDriver
{
    public IMongoLink Open(string connectionString)
    {
        try
        {
            var settings = MongoClientSettings.FromUrl(new MongoUrl(connectionString));
            settings.ApplicationName = MongoWaits.ApplicationName;
            settings.ServerSelectionTimeout = DriverLink.SelectionLimit;
            settings.ConnectTimeout = TimeSpan.FromSeconds(5);
            return new DriverLink(new MongoClient(settings));
        }
        catch (Exception exception)
            when (exception is MongoConfigurationException or FormatException or ArgumentException)
        {
            throw new MongoRefusalException(
                "the driver cannot read the connection string."); // Not chained: its message quotes the string.
        }
    }

    public IWorkflowStore CreateStore(string connectionString) =>
        new MongoStore(new() { ConnectionString = connectionString });

    public INotifier CreateNotifier(string connectionString, int lanes) =>
        new MongoNotifier(new() { ConnectionString = connectionString, Lanes = lanes });
}

/// <summary>Commands and replies as JSON, errors as one kind.</summary>
internal sealed class DriverLink(IMongoClient client) : IMongoLink
{
    /// <summary>How long the driver looks for a server.</summary>
    public static readonly TimeSpan SelectionLimit = TimeSpan.FromSeconds(8);

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(15);
    private static readonly JsonWriterSettings Relaxed = new() { OutputMode = JsonOutputMode.RelaxedExtendedJson };

    public async Task<JsonElement> RunAsync(string database, string command, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(Limit);
        try
        {
            var reply = await client.GetDatabase(database).RunCommandAsync<BsonDocument>(
                BsonDocument.Parse(command), cancellationToken: limit.Token);
            using var json = JsonDocument.Parse(reply.ToJson(Relaxed));
            return json.RootElement.Clone();
        }
        catch (MongoCommandException exception)
        {
            throw new MongoRefusalException(exception.Message, exception.Code, exception);
        }
        catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw new MongoRefusalException($"no answer within {Limit.TotalSeconds} s", inner: exception);
        }
        catch (Exception exception) when (exception is TimeoutException or MongoException)
        {
            var cause = exception.InnerException is { } inner ? $" {MongoErrors.Text(inner)}" : "";
            throw new MongoRefusalException($"{MongoErrors.Text(exception)}{cause}", inner: exception);
        }
    }

    public void Dispose() => client.Dispose();
}

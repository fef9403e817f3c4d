using Foundation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// A database whose files are lists of commands that may be run again (what exists is left as it is), so that several
/// processes may run them at once. Collections are made here and never within a transaction.
/// </summary>
internal sealed class MongoSchema(MongoDatabase database) : ISchemaTarget
{
    /// <summary>5.0.</summary>
    private const int OldestWireVersion = 13;
    private const int NamespaceExists = 48;
    private const string Versions = "workflow_schema";

    public string Description => $"{database.Target}: the schema";

    /// <summary>Checks the server and brings the database up to date.</summary>
    public async Task ApplyAsync(CancellationToken cancellationToken)
    {
        await CheckServerAsync(cancellationToken).ConfigureAwait(false);
        var version = await SchemaMigration.ApplyAsync(
            this, SchemaFile.Of(typeof(MongoSchema).Assembly), cancellationToken).ConfigureAwait(false);

        // What the engine relies on is tried before it is relied on: one transaction, acknowledged as every flush is.
        var opened = new BsonDocument("$inc", new BsonDocument("opened", 1L));
        await database.TransactAsync(t => t.UpdateAsync(Versions, new("_id", version), opened), cancellationToken)
            .ConfigureAwait(false);
    }

    public async Task<bool> IsBeforeReleaseAsync(CancellationToken cancellationToken)
    {
        var named = new BsonDocument
        {
            { "listCollections", 1 }, { "nameOnly", true }, { "filter", new BsonDocument("name", "schema_versions") },
        };
        var listed = await database.CommandAsync(named, cancellationToken).ConfigureAwait(false);
        return listed["cursor"]["firstBatch"].AsBsonArray.Count > 0;
    }

    public Task PrepareAsync(CancellationToken cancellationToken) =>
        RunAsync(new("create", Versions), cancellationToken);

    public async Task<int> ReadVersionAsync(CancellationToken cancellationToken) =>
        (await database.ListAsync(Versions, new(), d => d["_id"].ToInt32(), cancellationToken).ConfigureAwait(false))
            .DefaultIfEmpty(0).Max();

    public async Task ApplyAsync(SchemaFile file, CancellationToken cancellationToken)
    {
        foreach (var command in BsonDocument.Parse(file.Text)["commands"].AsBsonArray)
        {
            await RunAsync(command.AsBsonDocument, cancellationToken).ConfigureAwait(false);
        }

        var isApplied = new BsonDocument("$setOnInsert", new BsonDocument("isApplied", true));
        var number = new UpdateOneModel<BsonDocument>(new BsonDocument("_id", file.Version), isApplied)
            { IsUpsert = true };
        try
        {
            await database.WriteAsync(Versions, database.Durable, MongoDatabase.Limit, cancellationToken, number)
                .ConfigureAwait(false);
        }
        catch (MongoBulkWriteException e) when (MongoErrors.IsDuplicate(e))
        {
            // Another process wrote it at the same instant.
        }
    }

    public Exception Refuse(string message) => new StoreUnavailableException(message, outcomeUnknown: false);

    private async Task CheckServerAsync(CancellationToken cancellationToken)
    {
        var hello = await database.CommandAsync(new("hello", 1), cancellationToken).ConfigureAwait(false);
        var wire = hello.GetValue("maxWireVersion", 0).ToInt32();
        if (wire < OldestWireVersion)
        {
            throw Refuse(
                $"{database.Target}: the server's wire version is {wire}; {OldestWireVersion} (MongoDB 5.0) or newer "
                    + "is needed. Use a newer server.");
        }

        if (!hello.Contains("setName"))
        {
            throw Refuse($"{database.Target}: {MongoErrors.NoReplicaSet}");
        }
    }

    private async Task RunAsync(BsonDocument command, CancellationToken cancellationToken)
    {
        try
        {
            // An index is made of all that is there.
            var limit = command.Contains("createIndexes") ? MongoDatabase.LoadLimit : MongoDatabase.Limit;
            await database.CommandAsync(command, cancellationToken, limit: limit).ConfigureAwait(false);
        }
        catch (StoreUnavailableException e) when (e.InnerException is MongoCommandException { Code: NamespaceExists })
        {
            // Another process made it, or an earlier attempt that broke off after it.
        }
    }
}

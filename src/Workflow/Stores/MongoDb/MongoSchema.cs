using Foundation;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// A database whose files are lists of commands that may be run again (what exists is left as it is), so that several processes may migrate
/// at once. Collections are made here and never within a transaction.
/// </summary>
internal sealed class MongoSchema(MongoDatabase database) : ISchemaTarget
{
    /// <summary>5.0.</summary>
    private const int OldestWireVersion = 13;
    private const int NamespaceExists = 48;
    private const int NamespaceNotFound = 26;
    private const int MovedAtOnce = 500;
    private const string Versions = "schema_versions";

    public string Description => $"{database.Target}: the schema";

    /// <summary>Checks the server and brings the database up to date.</summary>
    public async Task ApplyAsync(CancellationToken cancellationToken)
    {
        await CheckServerAsync(cancellationToken).ConfigureAwait(false);
        var version = await SchemaMigration.ApplyAsync(
            this, SchemaFile.Of(typeof(MongoSchema).Assembly), cancellationToken).ConfigureAwait(false);

        // What the engine relies on is tried before it is relied on: one transaction, acknowledged as every flush is.
        var opened = new BsonDocument("$inc", new BsonDocument("opened", 1L));
        await database.TransactAsync(t => t.UpdateAsync(Versions, new("_id", version), opened), cancellationToken).ConfigureAwait(false);
    }

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
        var number = new UpdateOneModel<BsonDocument>(new BsonDocument("_id", file.Version), isApplied) { IsUpsert = true };
        try
        {
            await database.WriteAsync(Versions, database.Durable, MongoDatabase.Limit, cancellationToken, number).ConfigureAwait(false);
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
                $"{database.Target}: the server's wire version is {wire}; {OldestWireVersion} (MongoDB 5.0) or newer is needed. Use a "
                + "newer server.");
        }

        if (!hello.Contains("setName"))
        {
            throw Refuse($"{database.Target}: {MongoErrors.NoReplicaSet}");
        }
    }

    private async Task RunAsync(BsonDocument command, CancellationToken cancellationToken)
    {
        if (command.TryGetValue("moveToPending", out var former))
        {
            await MoveAsync(former.AsString, cancellationToken).ConfigureAwait(false);
            return;
        }

        if (command.Contains("numberDefinitions"))
        {
            await NumberAsync(cancellationToken).ConfigureAwait(false);
            return;
        }

        try
        {
            // An index is made of all that is there.
            var limit = command.Contains("createIndexes") ? MongoDatabase.LoadLimit : MongoDatabase.Limit;
            await database.CommandAsync(command, cancellationToken, limit: limit).ConfigureAwait(false);
        }
        catch (StoreUnavailableException e) when (e.InnerException is MongoCommandException { Code: NamespaceExists or NamespaceNotFound })
        {
            // It is there, or dropped: by another process, or by a migration that broke off after it.
        }
    }

    /// <summary>A command that is no server's: definitions without a number get the next ones, in the order in which they came.</summary>
    private async Task NumberAsync(CancellationToken cancellationToken)
    {
        var found = await database.ListAsync(
            "definitions", new("number", BsonNull.Value), d => (Id: d["_id"], At: d["registeredMicros"].ToInt64()), cancellationToken,
            new() { Projection = new BsonDocument("registeredMicros", 1) }).ConfigureAwait(false);
        foreach (var some in found.OrderBy(d => d.At).ThenBy(d => d.Id).Select(d => d.Id).Chunk(MovedAtOnce))
        {
            await database.TransactAsync(t => NumberAsync(t, some), cancellationToken).ConfigureAwait(false);
        }
    }

    /// <returns>How many of them no other process has numbered since.</returns>
    private static async Task<int> NumberAsync(MongoTransaction t, BsonValue[] some)
    {
        var filter = new BsonDocument { { "_id", new BsonDocument("$in", new BsonArray(some)) }, { "number", BsonNull.Value } };
        var left = (await t.ListAsync("definitions", filter, d => d["_id"]).ConfigureAwait(false)).ToHashSet();
        if (left.Count > 0)
        {
            var next = await MongoCluster.NumberDefinitionsAsync(t, left.Count).ConfigureAwait(false) - left.Count;
            UpdateOneModel<BsonDocument>[] numbered = [.. some.Where(left.Contains).Select(id => new UpdateOneModel<BsonDocument>(
                new BsonDocument("_id", id), new BsonDocument("$set", new BsonDocument("number", ++next))))];
            await t.WriteAsync("definitions", numbered).ConfigureAwait(false);
        }

        return left.Count;
    }

    /// <summary>A command that is no server's: no expression of its writes a text as JSON. What is there already stays.</summary>
    private async Task MoveAsync(string former, CancellationToken cancellationToken)
    {
        for (BsonValue? last = null; ;)
        {
            var filter = last is null ? new BsonDocument() : new("_id", new BsonDocument("$gt", last));
            var rows = await database.ListAsync(former, filter, d => d, cancellationToken,
                new() { Sort = new BsonDocument("_id", 1), Limit = MovedAtOnce }).ConfigureAwait(false);
            if (rows.Count == 0)
            {
                return;
            }

            UpdateOneModel<BsonDocument>[] moved = [.. rows.Select(row => new UpdateOneModel<BsonDocument>(
                new BsonDocument("_id", row["_id"]), new BsonDocument("$setOnInsert", MovedRows.Of(former, row))) { IsUpsert = true })];
            await database.WriteAsync("pending", database.Durable, MongoDatabase.LoadLimit, cancellationToken, moved).ConfigureAwait(false);
            last = rows[^1]["_id"];
        }
    }
}

/// <summary>Documents of the collections that became <c>pending</c>, as the engine would have written them there.</summary>
internal static class MovedRows
{
    private static readonly JsonSerializerOptions Json = new()
    {
        DefaultIgnoreCondition = System.Text.Json.Serialization.JsonIgnoreCondition.WhenWritingNull,
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public static BsonDocument Of(string collection, BsonDocument row)
    {
        var (kind, body) = collection switch
        {
            "signals" => (PendingKind.Signal, Signal(row)),
            "subscriptions" => (PendingKind.Subscription, JsonSerializer.Serialize(
                new { n = Text(row["name"]), y = Text(row["correlationKey"]), i = Id(row["instanceId"]) }, Json)),
            _ => (PendingKind.Message, $$"""{"{{row["kind"].AsString}}":{{row["body"].AsString}}}"""),
        };
        return new() { { "partition", row["partition"] }, { "kind", (int)kind }, { "position", row["position"] }, { "body", body } };
    }

    private static string Signal(BsonDocument row)
    {
        using var payload = Text(row["payload"]) is { } text ? JsonDocument.Parse(text) : null;
        return JsonSerializer.Serialize(
            new
            {
                n = Text(row["name"]), y = Text(row["correlationKey"]), i = Id(row["instanceId"]), p = payload?.RootElement,
                a = Time(row["acceptedMicros"]), d = Time(row["dueMicros"]), x = Time(row["expiresMicros"]),
            },
            Json);
    }

    private static string? Text(BsonValue value) => value.IsBsonNull ? null : value.AsString;

    private static Guid? Id(BsonValue value) => value.IsBsonNull ? null : value.AsGuid;

    private static DateTimeOffset? Time(BsonValue micros) =>
        micros.IsBsonNull ? null : DateTimeOffset.UnixEpoch.AddTicks(micros.ToInt64() * TimeSpan.TicksPerMicrosecond);
}

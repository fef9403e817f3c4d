using System.Globalization;
using MongoDB.Bson;
using MongoDB.Driver;
using Workflow.Abstractions.Exceptions;

namespace Workflow.Stores.MongoDb;

/// <summary>
/// Checks the server and brings the database up to date: numbered files of commands that may be run again (what exists is left as it is), so that several processes may do so at once.
/// Collections are made here and never within a transaction.
/// </summary>
internal static class SchemaMigration
{
    /// <summary>5.0.</summary>
    private const int OldestWireVersion = 13;
    private const int NamespaceExists = 48;
    private const string Versions = "schema_versions";
    private const string Folder = ".Schema.";

    public static async Task ApplyAsync(MongoLink link, CancellationToken cancellationToken)
    {
        await CheckServerAsync(link, cancellationToken).ConfigureAwait(false);
        var applied = (await link.ListAsync(Versions, new(), d => d["_id"].ToInt32(), cancellationToken).ConfigureAwait(false)).DefaultIfEmpty(0).Max();
        var files = Files();
        if (applied > files[^1].Version)
        {
            throw new StoreUnavailableException(
                $"{link.Target}: the schema has version {applied}; this build knows up to {files[^1].Version}. Use a newer build, or another database.", outcomeUnknown: false);
        }

        foreach (var (version, commands) in files.Where(f => f.Version > applied))
        {
            foreach (var command in commands)
            {
                await RunAsync(link, command.AsBsonDocument, cancellationToken).ConfigureAwait(false);
            }

            var number = new UpdateOneModel<BsonDocument>(new BsonDocument("_id", version), new BsonDocument("$setOnInsert", new BsonDocument("isApplied", true))) { IsUpsert = true };
            try
            {
                await link.WriteAsync(Versions, link.Durable, MongoLink.Limit, cancellationToken, number).ConfigureAwait(false);
            }
            catch (MongoBulkWriteException e) when (MongoErrors.IsDuplicate(e))
            {
                // Another process wrote it at the same instant.
            }
        }

        // What the engine relies on is tried before it is relied on: one transaction, acknowledged as every flush is.
        await link.TransactAsync(
            t => t.UpdateAsync(Versions, new("_id", files[^1].Version), new BsonDocument("$inc", new BsonDocument("opened", 1L))), cancellationToken).ConfigureAwait(false);
    }

    private static async Task CheckServerAsync(MongoLink link, CancellationToken cancellationToken)
    {
        var hello = await link.CommandAsync(new("hello", 1), cancellationToken).ConfigureAwait(false);
        var wire = hello.GetValue("maxWireVersion", 0).ToInt32();
        if (wire < OldestWireVersion)
        {
            throw new StoreUnavailableException($"{link.Target}: the server's wire version is {wire}; {OldestWireVersion} (MongoDB 5.0) or newer is needed. Use a newer server.", outcomeUnknown: false);
        }

        if (!hello.Contains("setName"))
        {
            throw new StoreUnavailableException($"{link.Target}: {MongoErrors.NoReplicaSet}", outcomeUnknown: false);
        }
    }

    private static async Task RunAsync(MongoLink link, BsonDocument command, CancellationToken cancellationToken)
    {
        try
        {
            await link.CommandAsync(command, cancellationToken).ConfigureAwait(false);
        }
        catch (StoreUnavailableException e) when (e.InnerException is MongoCommandException { Code: NamespaceExists })
        {
            // It is there: another process, or a migration that broke off after it.
        }
    }

    private static IReadOnlyList<(int Version, BsonArray Commands)> Files()
    {
        var assembly = typeof(SchemaMigration).Assembly;
        return
        [
            .. assembly.GetManifestResourceNames().Where(n => n.Contains(Folder, StringComparison.Ordinal) && n.EndsWith(".json", StringComparison.Ordinal))
                .Select(n => (Number(n), Read(n)))
                .OrderBy(f => f.Item1),
        ];

        static int Number(string name) =>
            int.Parse(name[(name.IndexOf(Folder, StringComparison.Ordinal) + Folder.Length)..].TrimStart('_')[..3], CultureInfo.InvariantCulture);

        BsonArray Read(string name)
        {
            using var reader = new StreamReader(assembly.GetManifestResourceStream(name)!);
            return BsonDocument.Parse(reader.ReadToEnd())["commands"].AsBsonArray;
        }
    }
}

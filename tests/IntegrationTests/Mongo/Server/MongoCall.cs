namespace IntegrationTests.Mongo.Server;

/// <summary>A command as the server received it.</summary>
internal sealed class MongoCall(BsonDocument command)
{
    /// <summary>The first command of every connection.</summary>
    public const string Connect = "connect";

    /// <summary>By which the driver watches the server.</summary>
    public const string Heartbeat = "heartbeat";

    public BsonDocument Command => command;

    /// <summary>
    /// The command's name; <see cref="Connect"/> or <see cref="Heartbeat"/> for what the driver sends by itself.
    /// </summary>
    public string Name { get; } = NameOf(command);

    public string Database => command.GetValue("$db", "admin").AsString;

    public string? Collection
    {
        get
        {
            var value = command.GetValue(Name == "getMore" ? "collection" : command.GetElement(0).Name);
            return value.IsString ? value.AsString : null;
        }
    }

    /// <summary>The collection with its database.</summary>
    public string Space => $"{Database}.{Collection}";

    public Guid? Session => command.TryGetValue("lsid", out var session) ? session["id"].AsGuid : null;

    public bool IsInTransaction => command.Contains("autocommit");

    public bool StartsTransaction => command.Contains("startTransaction");

    public long TransactionNumber => command["txnNumber"].ToInt64();

    public bool IsOrdered => command.GetValue("ordered", true).AsBoolean;

    /// <summary>The level; null where the command names none.</summary>
    public string? ReadConcern => command.GetValue("readConcern", BsonNull.Value) is BsonDocument concern
        ? concern.GetValue("level", BsonNull.Value).ToString()
        : null;

    public BsonDocument? WriteConcern => command.GetValue("writeConcern", BsonNull.Value) as BsonDocument;

    public TimeSpan? MaxTime => command.TryGetValue("maxTimeMS", out var milliseconds)
        ? TimeSpan.FromMilliseconds(milliseconds.ToInt64())
        : null;

    public override string ToString() => $"{Name} {Database} {Collection}";

    private static string NameOf(BsonDocument command)
    {
        var name = command.GetElement(0).Name;
        if (name is not ("hello" or "isMaster" or "ismaster") || command.Contains("lsid"))
        {
            return name;
        }

        return command.Contains("client") ? Connect : Heartbeat;
    }
}

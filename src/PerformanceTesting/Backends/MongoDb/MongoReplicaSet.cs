namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// What a server must be for an engine: new enough, and the writable primary of a replica set, without which there are
/// no transactions and no change streams.
/// </summary>
internal static class MongoReplicaSet
{
    /// <summary>Of the set that is made of a server of our own.</summary>
    public const string Name = "rs0";

    public const int OldestMajor = 5;

    private const string HowToMakeOne =
        $"start it with --replSet {Name} and run rs.initiate() once in mongosh; a set of one member will do";

    /// <summary>Asks whether the server serves, and makes a set of a new one where that is wanted.</summary>
    /// <param name="link">The server; connected to directly where the set is still to be made.</param>
    /// <param name="initiateAs">
    /// Where a server without a set's configuration is given one: its own address, as it is its only member; null gives
    /// it none.
    /// </param>
    /// <returns>Null when it serves; else why not yet.</returns>
    /// <exception cref="BackendException">It never will.</exception>
    /// <exception cref="MongoRefusalException">It does not answer, or refuses.</exception>
    public static async Task<string?> AskAsync(IMongoLink link, string? initiateAs, CancellationToken cancellationToken)
    {
        var version = (await link.RunAsync("admin", """{ "buildInfo": 1 }""", cancellationToken))
            .Find("version")?.GetString() ?? "unknown";
        if (!int.TryParse(version.Split('.')[0], CultureInfo.InvariantCulture, out var major) || major < OldestMajor)
        {
            throw new BackendException($"it is MongoDB {version}; {OldestMajor}.0 is the oldest "
                + "that serves. Name a newer one.");
        }

        var hello = await link.RunAsync("admin", """{ "hello": 1 }""", cancellationToken);
        if (hello.Find("msg")?.ToString() == "isdbgrid")
        {
            throw new BackendException("it is a mongos, which has neither journal nor cache. Name a replica set.");
        }

        if (hello.Find("setName") is not { } set)
        {
            if (hello.Find("isreplicaset")?.GetBoolean() != true)
            {
                throw new BackendException($"it is a standalone server, which has no transactions and no "
                    + $"change streams: {HowToMakeOne}.");
            }

            return initiateAs is not null
                ? await InitiateAsync(link, initiateAs, cancellationToken)
                : "its replica set has no configuration yet: run rs.initiate() once in mongosh";
        }

        return hello.Find("isWritablePrimary")?.GetBoolean() == true
            ? null
            : $"it is not the writable primary of '{set}' (primary: "
                + $"{hello.Find("primary")?.ToString() ?? "none elected"}); "
                + $"name the primary, or the set with replicaSet={set}";
    }

    private static async Task<string?> InitiateAsync(
        IMongoLink link, string member, CancellationToken cancellationToken)
    {
        try
        {
            // The member's address is for other members, and there are none: clients connect directly, as the port
            // outside is another one.
            await link.RunAsync(
                "admin",
                $$"""{ "replSetInitiate": { "_id": "{{Name}}", "members": [ { "_id": 0, "host": "{{member}}" } ] } }""",
                cancellationToken);
        }
        catch (MongoRefusalException exception) when (exception.Code == MongoRefusalException.AlreadyInitialized)
        {
            // By the attempt before, whose answer was lost.
        }

        return "its replica set was made a moment ago and has no primary yet";
    }
}

namespace IntegrationTests.Mongo.Server;

/// <summary>What each command does, and its answer.</summary>
internal sealed class Commands(InMemoryMongo server, Documents documents)
{
    private readonly Cursors _cursors = new(documents);

    public async Task<BsonDocument> RunAsync(MongoCall call, CancellationToken cancellationToken)
    {
        if (call.Name is "commitTransaction" or "abortTransaction")
        {
            return End(call);
        }

        var transaction = documents.TransactionOf(call);
        try
        {
            return call.Name switch
            {
                MongoCall.Connect or MongoCall.Heartbeat or "hello" => Hello(),
                "insert" or "update" or "delete" =>
                    await new Writes(documents, call, transaction, Now()).RunAsync(cancellationToken),
                "find" => _cursors.Find(call, transaction, Now()),
                "getMore" => await _cursors.MoreAsync(call, Now, cancellationToken),
                "aggregate" when !server.IsReplicaSet => throw new MongoReplyException(
                    40573, "Location40573", "The $changeStream stage is only supported on replica sets"),
                "aggregate" => _cursors.Watch(call),
                _ => Administer(call),
            };
        }
        catch when (transaction is not null)
        {
            // Any failure ends the transaction.
            documents.Abort(transaction);
            throw;
        }
    }

    private static BsonDocument Ok() => new("ok", 1.0);

    private BsonDateTime Now() => new(server.Time.GetUtcNow().UtcDateTime);

    private BsonDocument End(MongoCall call)
    {
        if (call.Name == "commitTransaction")
        {
            documents.Commit(call);
        }
        else
        {
            documents.Abort(documents.TransactionOf(call)!);
        }

        return Ok();
    }

    private BsonDocument Hello()
    {
        var hello = new BsonDocument
        {
            { "ok", 1.0 }, { "ismaster", true }, { "isWritablePrimary", true }, { "helloOk", true },
            { "localTime", Now() }, { "connectionId", 1 }, { "logicalSessionTimeoutMinutes", 30 },
            { "maxBsonObjectSize", DocumentRules.LargestBytes }, { "maxMessageSizeBytes", 48_000_000 },
            { "maxWriteBatchSize", 100_000 }, { "minWireVersion", 0 }, { "maxWireVersion", server.MaxWireVersion },
        };
        return server.IsReplicaSet
            ? hello.AddRange(new BsonDocument
            {
                { "setName", "rs0" }, { "setVersion", 1 }, { "hosts", new BsonArray { server.Address } },
                { "me", server.Address }, { "primary", server.Address },
            })
            : hello;
    }

    private BsonDocument Administer(MongoCall call)
    {
        switch (call.Name)
        {
            case "ping" or "endSessions":
                break;
            case "buildInfo":
                return Ok().Add("version", "7.0.14");
            case "listCollections":
                return Ok().Add("cursor", new BsonDocument
                {
                    { "id", 0L }, { "ns", $"{call.Database}.$cmd.listCollections" },
                    {
                        "firstBatch",
                        new BsonArray(documents.Collections(call.Database).Keys
                            .Where(name => name == call.Command["filter"]["name"].AsString)
                            .Select(name => new BsonDocument { { "name", name }, { "type", "collection" } }))
                    },
                });
            case "create":
                documents.Create(call.Space, call.Command.GetValue("validator", BsonNull.Value) as BsonDocument);
                break;
            case "collMod":
                documents.Validate(call.Space, call.Command["validator"].AsBsonDocument);
                break;
            case "count":
                return Ok().Add("n", Filters.Matching(
                    documents.Read(call.Space), call.Command["query"].AsBsonDocument, Now()).Count());
            case "dropDatabase":
                documents.DropDatabase(call.Database);
                break;
            case "createIndexes":
                documents.Index(call.Space, call.Command["indexes"].AsBsonArray.Select(i => i.AsBsonDocument));
                break;
            case "killCursors":
                _cursors.Kill(call);
                break;
            case "killSessions":
                foreach (var session in call.Command[0].AsBsonArray)
                {
                    documents.Kill(session["id"].AsGuid);
                }

                break;
            case "saslStart":
                throw new MongoReplyException(18, "AuthenticationFailed", "Authentication failed.");
            default:
                return server.Answers.TryGetValue(call.Name, out var answer)
                    ? Ok().AddRange(answer(call.Command))
                    : throw new MongoReplyException(59, "CommandNotFound", $"no such command: '{call.Name}'");
        }

        return Ok();
    }
}

using MongoDB.Bson;
using MongoDB.Driver;

namespace MongoDB.StandIn;

public sealed partial class StubDatabase(MongoClient client, string name, ReadConcern readConcern, WriteConcern writeConcern) : IMongoDatabase
{
    public IMongoClient Client => client;

    public IMongoCollection<TDocument> GetCollection<TDocument>(string collection) => typeof(TDocument) == typeof(BsonDocument)
        ? (IMongoCollection<TDocument>)(object)new StubCollection(client, name, collection, readConcern, writeConcern)
        : throw new NotSupportedException($"The stub keeps BsonDocument alone, and no {typeof(TDocument).Name}.");

    public Task<TResult> RunCommandAsync<TResult>(Command<TResult> command, ReadPreference? readPreference = null, CancellationToken cancellationToken = default) =>
        client.Server.RunAsync(
            client.Settings,
            new(command.Document.GetElement(0).Name, name) { Detail = command.Document.ToString() },
            () => Task.FromResult((TResult)(object)client.Server.Command(name, command.Document)),
            cancellationToken);

    public IMongoDatabase WithReadConcern(ReadConcern other) => new StubDatabase(client, name, other, writeConcern);

    public IMongoDatabase WithWriteConcern(WriteConcern other) => new StubDatabase(client, name, readConcern, other);
}

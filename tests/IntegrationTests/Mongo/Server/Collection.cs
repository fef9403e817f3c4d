using System.Collections.Immutable;

namespace IntegrationTests.Mongo.Server;

/// <summary>The documents of a collection by their ids, and the rule they keep to.</summary>
internal sealed record Collection(
    ImmutableSortedDictionary<BsonValue, BsonDocument> Documents,
    BsonDocument? Validator,
    ImmutableList<BsonDocument> Indexes)
{
    public static Collection Empty { get; } =
        new(ImmutableSortedDictionary.Create<BsonValue, BsonDocument>(ServerOrder.Instance), null, []);

    public Collection With(BsonValue id, BsonDocument? document) =>
        this with { Documents = document is null ? Documents.Remove(id) : Documents.SetItem(id, document) };
}

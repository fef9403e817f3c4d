using MongoDB.Bson;
using MongoDB.Driver;
using MongoDB.StandIn;

namespace FullFeed.Tests.MongoDb;

/// <summary>The stand-in keeps the promises of a server that the store's tests rely on, and refuses what it does not know.</summary>
public sealed class FakeServerTests : IAsyncLifetime
{
    private readonly FakeServer _server;
    private readonly MongoClient _client;
    private readonly IMongoCollection<BsonDocument> _things;

    public FakeServerTests()
    {
        (var connectionString, _server) = MongoStoreFixture.NewServer();
        _client = new(MongoClientSettings.FromUrl(new(connectionString)));
        _things = _client.GetDatabase("d").GetCollection<BsonDocument>("things");
    }

    public async ValueTask InitializeAsync()
    {
        await _client.GetDatabase("d").RunCommandAsync<BsonDocument>(new BsonDocument("create", "things"), cancellationToken: Cancel);
        await WriteAsync(new InsertOneModel<BsonDocument>(new() { { "_id", 1 }, { "n", 1L } }),
            new InsertOneModel<BsonDocument>(new() { { "_id", 2 }, { "n", 2L } }));
    }

    public ValueTask DisposeAsync()
    {
        _client.Dispose();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task Transaction_sees_what_was_there_when_it_began_and_its_own_writes_and_others_see_them_with_its_commit()
    {
        using var session = await BegunAsync();
        Assert.Equal([1L, 2L], await NumbersAsync(session));
        await WriteAsync(Set(2, 20));
        await _things.BulkWriteAsync(session, [Set(1, 10)], null, Cancel);

        Assert.Equal([10L, 2L], await NumbersAsync(session));
        Assert.Equal([1L, 20L], await NumbersAsync(null));
        await session.CommitTransactionAsync(Cancel);
        Assert.Equal([10L, 20L], await NumbersAsync(null));
    }

    [Fact]
    public async Task Transaction_that_is_aborted_leaves_nothing()
    {
        using var session = await BegunAsync();
        await _things.BulkWriteAsync(session, [Set(1, 10), new DeleteOneModel<BsonDocument>(
            new BsonDocument("_id", 2)), new InsertOneModel<BsonDocument>(new() { { "_id", 3 }, { "n", 3L } })], null, Cancel);
        await session.AbortTransactionAsync(Cancel);

        Assert.Equal([1L, 2L], await NumbersAsync(null));
    }

    [Fact]
    public async Task Second_transaction_to_write_a_document_is_aborted_with_a_conflict_also_when_the_first_has_committed()
    {
        using var first = await BegunAsync();
        using var second = await BegunAsync();
        using var third = await BegunAsync();
        await NumbersAsync(third);
        await _things.BulkWriteAsync(first, [Set(1, 10)], null, Cancel);

        await ConflictsAsync(second);
        await first.CommitTransactionAsync(Cancel);
        await ConflictsAsync(third);

        Assert.Equal([10L, 2L], await NumbersAsync(null));
        Assert.Equal(251, (await Assert.ThrowsAsync<MongoCommandException>(() => third.CommitTransactionAsync(Cancel))).Code);
    }

    [Fact]
    public async Task Write_outside_transactions_waits_for_the_transaction_that_has_its_document()
    {
        using var session = await BegunAsync();
        await _things.BulkWriteAsync(session, [Set(1, 10)], null, Cancel);
        var write = WriteAsync(
            new UpdateOneModel<BsonDocument>(new BsonDocument("_id", 1), new BsonDocument("$inc", new BsonDocument("n", 1L))));
        await WriteAsync(Set(2, 20));
        Assert.False(write.IsCompleted);

        await session.CommitTransactionAsync(Cancel);

        Assert.Equal(1, (await write).ModifiedCount);
        Assert.Equal([11L, 20L], await NumbersAsync(null));
    }

    [Theory]
    [InlineData("abortTransaction")]
    [InlineData("commitTransaction")]
    public async Task Transaction_whose_end_never_came_keeps_its_documents_for_a_moment_only(string lost)
    {
        using var session = await BegunAsync();
        await _things.BulkWriteAsync(session, [Set(1, 10)], null, Cancel);
        _server.Before = (call, _) => call.Name == lost ? throw FakeErrors.Network(FakeErrors.Transient) : Task.CompletedTask;
        await Record.ExceptionAsync(() => lost == "abortTransaction"
            ? session.AbortTransactionAsync(Cancel)
            : session.CommitTransactionAsync(Cancel));

        await WriteAsync(Set(1, 5)).WaitAsync(TimeSpan.FromSeconds(30), Cancel);

        Assert.Equal([5L, 2L], await NumbersAsync(null));
    }

    [Fact]
    public async Task Next_transaction_of_a_session_ends_the_one_whose_end_never_came()
    {
        using var session = await BegunAsync();
        await _things.BulkWriteAsync(session, [Set(1, 10)], null, Cancel);
        _server.Before = (call, _) =>
            call.Name == "abortTransaction" ? throw FakeErrors.Network(FakeErrors.Transient) : Task.CompletedTask;
        await session.AbortTransactionAsync(Cancel);
        session.StartTransaction(new(readConcern: ReadConcern.Snapshot));

        await _things.BulkWriteAsync(session, [Set(1, 20)], null, Cancel);
        await session.CommitTransactionAsync(Cancel);

        Assert.Equal([20L, 2L], await NumbersAsync(null));
    }

    [Fact]
    public async Task Abort_of_a_transaction_that_is_over_takes_no_document_from_another()
    {
        using var first = await BegunAsync();
        using var second = await BegunAsync();
        await _things.BulkWriteAsync(first, [Set(1, 10)], null, Cancel);
        await _client.GetDatabase("admin").RunCommandAsync<BsonDocument>(
            new BsonDocument("killSessions", new BsonArray { first.ServerSession.Id }), cancellationToken: Cancel);
        await _things.BulkWriteAsync(second, [Set(1, 20)], null, Cancel);
        await first.AbortTransactionAsync(Cancel);

        using var third = await BegunAsync();
        await ConflictsAsync(third);
    }

    [Fact]
    public async Task Error_of_a_statement_ends_its_transaction()
    {
        using var session = await BegunAsync();
        var error = await Assert.ThrowsAsync<MongoBulkWriteException<BsonDocument>>(() =>
            _things.BulkWriteAsync(session, [Set(2, 20), new InsertOneModel<BsonDocument>(new("_id", 1))], null, Cancel));

        Assert.Equal((1, ServerErrorCategory.DuplicateKey), (Assert.Single(error.WriteErrors).Index, error.WriteErrors[0].Category));
        await Assert.ThrowsAsync<MongoCommandException>(() => session.CommitTransactionAsync(Cancel));
        Assert.Equal([1L, 2L], await NumbersAsync(null));
    }

    [Fact]
    public async Task Session_that_is_killed_has_no_transaction_any_more()
    {
        using var session = await BegunAsync();
        await _things.BulkWriteAsync(session, [Set(1, 10)], null, Cancel);
        await _client.GetDatabase("admin").RunCommandAsync<BsonDocument>(
            new BsonDocument("killSessions", new BsonArray { session.ServerSession.Id }), cancellationToken: Cancel);

        var error = await Assert.ThrowsAsync<MongoCommandException>(() => NumbersAsync(session));
        Assert.True(error.HasErrorLabel(FakeErrors.Transient));
        await WriteAsync(Set(1, 5));
        Assert.Equal([5L, 2L], await NumbersAsync(null));
    }

    [Theory]
    [InlineData("""{ "n": { "$regex": "a" } }""", "$regex")]
    [InlineData("""{ "$nor": [] }""", "$nor")]
    [InlineData("""{ "$expr": { "$mod": ["$n", 2] } }""", "$mod")]
    [InlineData("""{ "$expr": "$$ROOT" }""", "$$ROOT")]
    public async Task Filter_of_an_unknown_kind_is_refused_by_its_name(string filter, string name)
    {
        var error = await Assert.ThrowsAsync<MongoCommandException>(() =>
            WriteAsync(new DeleteManyModel<BsonDocument>(BsonDocument.Parse(filter))));

        Assert.Contains(name, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("""{ "$rename": { "n": "m" } }""", "$rename")]
    [InlineData("""{ "n": 3 }""", "n")]
    public async Task Update_of_an_unknown_kind_is_refused_by_its_name(string update, string name)
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(() =>
            WriteAsync(new UpdateOneModel<BsonDocument>(new BsonDocument("_id", 1), BsonDocument.Parse(update))));

        Assert.Contains(name, error.Message, StringComparison.Ordinal);
        Assert.Equal([1L, 2L], await NumbersAsync(null));
    }

    [Fact]
    public async Task Collection_is_never_made_within_a_transaction()
    {
        using var session = await BegunAsync();
        var missing = _client.GetDatabase("d").GetCollection<BsonDocument>("missing");

        Assert.Equal(263, (await Assert.ThrowsAsync<MongoCommandException>(() =>
            missing.BulkWriteAsync(session, [new InsertOneModel<BsonDocument>(new("_id", 1))], null, Cancel))).Code);
        Assert.Empty(_server.Collections("d").Keys.Except(["things"]));
    }

    private static UpdateOneModel<BsonDocument> Set(int id, long n) =>
        new(new BsonDocument("_id", id), new BsonDocument("$set", new BsonDocument("n", n)));

    private async Task ConflictsAsync(IClientSessionHandle session)
    {
        var error = await Assert.ThrowsAsync<MongoCommandException>(() => _things.BulkWriteAsync(session, [Set(1, 100)], null, Cancel));
        Assert.Equal(112, error.Code);
        Assert.True(error.HasErrorLabel(FakeErrors.Transient));
    }

    private async Task<IClientSessionHandle> BegunAsync()
    {
        var session = await _client.StartSessionAsync(null, Cancel);
        session.StartTransaction(new(readConcern: ReadConcern.Snapshot));
        return session;
    }

    private Task<BulkWriteResult<BsonDocument>> WriteAsync(params WriteModel<BsonDocument>[] models) =>
        _things.BulkWriteAsync(models, null, Cancel);

    private async Task<IEnumerable<long>> NumbersAsync(IClientSessionHandle? session)
    {
        var filter = new BsonDocument("n", new BsonDocument("$exists", true));
        var options = new FindOptions<BsonDocument> { Sort = new BsonDocument("_id", 1) };
        var cursor =
            await (session is null ? _things.FindAsync(filter, options, Cancel) : _things.FindAsync(session, filter, options, Cancel));
        return (await cursor.ToListAsync(Cancel)).Select(d => d["n"].ToInt64());
    }
}

using Payments.Service.Hosting;
using Payments.Service.Stores;
using Payments.Service.Stores.PostgreSql;

namespace IntegrationTests.Payments;

/// <summary>The suite on PostgreSQL, and what only a server can do.</summary>
[Trait("Category", "Integration")]
public sealed class PostgresPaymentStoreTests(PostgresPaymentStores stores)
    : PaymentStoreConformance(stores), IClassFixture<PostgresPaymentStores>
{
    [Fact]
    public async Task Services_that_start_together_make_the_schema_once()
    {
        var settings = await stores.SettingsAsync();
        var handles = Enumerable.Range(0, 4).Select(_ => PaymentService.CreateStore(settings)).ToArray();

        await Task.WhenAll(handles.Select(store => store.PrepareAsync(Cancel)));

        Assert.All(await Task.WhenAll(handles.Select(store => store.CountAsync(Cancel))), counts =>
            Assert.Equal(new PaymentCounts(0, 0, 0), counts));
        await Task.WhenAll(handles.Select(store => store.DisposeAsync().AsTask()));
    }

    [Fact]
    public async Task Schema_of_a_build_before_the_release_is_refused()
    {
        var settings = await stores.SettingsAsync();
        await using var source = NpgsqlDataSource.Create(settings.ConnectionString!);
        await using var command = source.CreateCommand(
            $"create schema if not exists {settings.Schema}; create table {settings.Schema}.schema_versions (version integer)");
        await command.ExecuteNonQueryAsync(Cancel);
        await using var store = PaymentService.CreateStore(settings);

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => store.PrepareAsync(Cancel));

        AssertHolds(error.Message, settings.Schema, "before the first release");
    }

    [Fact]
    public async Task Schema_of_a_newer_build_is_refused_by_number()
    {
        var settings = await stores.SettingsAsync();
        await using var store = PaymentService.CreateStore(settings);
        await store.PrepareAsync(Cancel);
        await using var source = NpgsqlDataSource.Create(settings.ConnectionString!);
        await using var command =
            source.CreateCommand($"insert into {settings.Schema}.payments_schema (version) values (999)");
        await command.ExecuteNonQueryAsync(Cancel);

        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => store.PrepareAsync(Cancel));

        AssertHolds(error.Message, settings.Schema, "999", "newer build");
    }

    [Theory]
    [InlineData("Port", "1", "does not answer")]
    [InlineData("Database", "no_such_database", "Check Database")]
    [InlineData("Username", "nobody_here", "Check Database, Username")]
    public async Task Unusable_server_is_named_without_the_password(string member, string value, string wayOut)
    {
        var settings = await stores.SettingsAsync();
        var builder =
            new NpgsqlConnectionStringBuilder(settings.ConnectionString) { Password = "secret-4711", [member] = value };
        await using var store =
            new PostgresPaymentStore(builder.ConnectionString, settings.Schema, settings.Connections);

        var error = await Assert.ThrowsAsync<StoreUnavailableException>(() => store.PrepareAsync(Cancel));

        var target = $"PostgreSQL at {builder.Host}:{builder.Port}, database "
            + $"'{builder.Database}', user '{builder.Username}'";
        AssertHolds(error.Message, target, wayOut);
        Assert.DoesNotContain("4711", error.ToString(), StringComparison.Ordinal);
    }
}

namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class SettingsReadBackTests(BackendFixture fixture)
{
    [Theory]
    [InlineData("on", "on", "on", "durable")]
    [InlineData("off", "on", "on", "not durable: fsync=off")]
    [InlineData("on", "off", "off", "not durable: full_page_writes=off, synchronous_commit=off")]
    [InlineData("on", "on", null, "not durable: synchronous_commit=unknown")]
    public void Class_is_durable_only_when_all_three_settings_are_on(string? fsync, string? pages, string? commit, string expected)
    {
        var settings = new Dictionary<string, string?> { ["fsync"] = fsync, ["full_page_writes"] = pages, ["synchronous_commit"] = commit }
            .Where(pair => pair.Value is not null)
            .ToDictionary(pair => pair.Key, pair => pair.Value!);

        Assert.Equal(expected, PostgresSettings.Of("15.1", settings).Durability);
    }

    [Fact]
    public async Task What_counts_is_what_the_session_sees_not_what_the_server_was_started_with()
    {
        var cancel = Cancel;
        await fixture.Catalog.RequireOrSkipAsync("postgres", cancel);
        var server = await fixture.Catalog.PostgresAsync(cancel);
        var relaxed = new NpgsqlConnectionStringBuilder(server.AdministrationConnectionString) { Options = "-c synchronous_commit=off" };

        var settings = await PostgresSettings.ReadAsync(relaxed.ConnectionString, cancel);

        Assert.Equal("not durable: synchronous_commit=off", settings.Durability);
    }
}

namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class SettingsReadBackTests(BackendFixture fixture)
{
    [Theory]
    [InlineData("on", "on", "on", "durable")]
    [InlineData("off", "on", "on", "not durable: fsync=off")]
    [InlineData("on", "off", "off", "not durable: full_page_writes=off, synchronous_commit=off")]
    [InlineData("on", "on", null, "not durable: synchronous_commit=unknown")]
    public void Class_is_durable_only_when_all_three_settings_are_on(
        string? fsync, string? pages, string? commit, string expected)
    {
        var settings = new Dictionary<string, string?>
            { ["fsync"] = fsync, ["full_page_writes"] = pages, ["synchronous_commit"] = commit }
            .Where(pair => pair.Value is not null)
            .ToDictionary(pair => pair.Key, pair => pair.Value!);

        Assert.Equal(expected, PostgresSettings.Of("15.1", settings).Durability);
    }

    /// <summary>Such a server forces its log to nothing, and every setting of it says that it does.</summary>
    [Theory]
    [InlineData(true, "not durable: data in memory (tmpfs)", "tmpfs")]
    [InlineData(false, "durable", null)]
    public async Task Server_whose_data_are_in_memory_is_not_durable(bool inMemory, string expected, string? fileSystem)
    {
        Assert.SkipUnless(Directory.Exists("/dev/shm"), "This system has no directory in memory.");
        Assert.SkipWhen(PostgresBinaries.Find() is null, "No PostgreSQL is installed.");
        await using var server = await PostgresServer.StartNativeAsync(
            PostgresBinaries.Find()!, inMemory: inMemory, cancellationToken: Cancel);

        var settings = await server.ReadSettingsAsync(Cancel);

        Assert.Equal(expected, settings.Durability);
        Assert.Equal(fileSystem ?? new DriveInfo(server.Host.DirectoryPath!).DriveFormat,
            settings.Settings[SettingsReadBack.FileSystem]);
    }

    [Fact]
    public async Task Role_that_may_not_read_the_mounts_has_the_other_settings()
    {
        var server = await fixture.OwnServerAsync();
        await server.CreateRoleAsync("only_reads", "x");

        var settings = await PostgresSettings.ReadAsync(
            new NpgsqlConnectionStringBuilder(
                server.AdministrationConnectionString) { Username = "only_reads", Password = "x" }
                .ConnectionString,
            Cancel);

        Assert.Equal("on", settings.Settings["fsync"]);
        Assert.DoesNotContain(SettingsReadBack.FileSystem, settings.Settings.Keys);
    }

    [Fact]
    public async Task Settings_of_the_session_count()
    {
        var cancel = Cancel;
        await fixture.Catalog.RequireOrSkipAsync("postgres", cancel);
        var server = await fixture.Catalog.PostgresAsync(cancel);
        var relaxed = new NpgsqlConnectionStringBuilder(
            server.AdministrationConnectionString) { Options = "-c synchronous_commit=off" };

        var settings = await PostgresSettings.ReadAsync(relaxed.ConnectionString, cancel);

        Assert.Equal(["synchronous_commit=off"], settings.Shortfalls);
    }
}

using Xunit.Sdk;

namespace IntegrationTests.Backends;

[Trait("Category", "Integration")]
public sealed class BackendCatalogTests(BackendFixture fixture)
{
    private const string Secret = "open-sesame-4711";

    [Fact]
    public async Task Every_required_profile_is_available()
    {
        foreach (var profile in BackendVariables.FromEnvironment().Require)
        {
            await fixture.Catalog.RequireOrSkipAsync(profile, Cancel);
        }

        var profiles = await fixture.Catalog.ProbeAllAsync(Cancel);
        TestContext.Current.TestOutputHelper?.WriteLine(string.Join(Environment.NewLine, profiles));

        Assert.Equal(BackendCatalog.KnownProfiles, profiles.Select(found => found.Profile));
        Assert.All(profiles, found => Assert.NotEqual("", found.IsAvailable ? found.Reason : found.HowToEnable));
        Assert.Equal("embedded in the test process", profiles.Single(found => found.Profile == "memory").Reason);
    }

    [Fact]
    public async Task Memory_is_always_there()
    {
        await using var catalog = Catalog(new BackendVariables());

        Assert.True((await catalog.ProbeAsync("memory", Cancel)).IsAvailable);
    }

    [Fact]
    public async Task Auto_without_binaries_skips_with_the_reason_of_each_mode()
    {
        await using var catalog = Catalog(new BackendVariables());

        var availability = await catalog.ProbeAsync("postgres", Cancel);
        var skip = await SkipOfAsync(catalog, "postgres");

        Assert.Equal(
            [ProvisionMode.External, ProvisionMode.Container, ProvisionMode.Native],
            availability.Attempts.Select(attempt => attempt.Mode));
        foreach (var part in (string[])
        [
            "WORKFLOW_PERF_POSTGRES is not set", "no engine in this script", "no initdb", availability.HowToEnable,
        ])
        {
            Assert.Contains(part, skip, StringComparison.Ordinal);
        }

        Assert.Contains("postgresql", availability.HowToEnable, StringComparison.OrdinalIgnoreCase);
        await Assert.ThrowsAsync<BackendException>(() => catalog.PostgresAsync(Cancel));
    }

    [Fact]
    public async Task Profile_names_the_server_that_is_missing()
    {
        var redis = new ScriptedProvider(ServerKind.Redis);
        await using var catalog = new BackendCatalog(
            new BackendVariables(), [new ScriptedProvider(ServerKind.Postgres, "of postgres"), redis]);

        var absent = await catalog.ProbeAsync("postgres-redis", Cancel);
        var there = await catalog.ProbeAsync("postgres", Cancel);

        Assert.False(absent.IsAvailable);
        Assert.StartsWith(
            "no Redis server: external: WORKFLOW_PERF_REDIS is not set; container: ",
            absent.Reason,
            StringComparison.Ordinal);
        Assert.Equal(redis.HowToEnable, absent.HowToEnable);
        Assert.Equal((true, "of postgres"), (there.IsAvailable, there.Reason));
        Assert.Equal(1, redis.NativeStarts);
    }

    [Fact]
    public async Task Profile_of_two_servers_is_there_when_both_are()
    {
        await using var catalog = new BackendCatalog(
            new BackendVariables(),
            [
                new ScriptedProvider(ServerKind.Postgres, "of postgres"),
                new ScriptedProvider(ServerKind.Redis, "of redis"),
            ]);

        var availability = await catalog.ProbeAsync("postgres-redis", Cancel);

        Assert.Equal((true, "of postgres, of redis"), (availability.IsAvailable, availability.Reason));
        Assert.Equal("of redis", (await catalog.RequireServerOrSkipAsync(ServerKind.Redis, Cancel)).Description);
    }

    [Fact]
    public async Task Required_server_that_is_absent_fails_instead_of_skipping()
    {
        await using var catalog = new BackendCatalog(
            new BackendVariables { RequireServers = [ServerKind.RabbitMq] },
            [new ScriptedProvider(ServerKind.RabbitMq)]);

        var failure = await Assert.ThrowsAsync<BackendException>(
            () => catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel));

        Assert.StartsWith(
            "WORKFLOW_PERF_REQUIRE demands it, but no RabbitMQ server is available: ",
            failure.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Kind_that_the_mode_never_provides_is_absent()
    {
        await using var catalog = new BackendCatalog(
            new BackendVariables { Provision = ProvisionMode.Container },
            [new ScriptedProvider(ServerKind.Postgres, "of postgres")],
            NoEngine);

        var availability = await catalog.ProbeAsync("postgres", Cancel);

        Assert.False(availability.IsAvailable);
    }

    [Fact]
    public async Task Failed_explicit_mode_affects_no_other_backend()
    {
        await using var catalog = Catalog(new BackendVariables { Provision = ProvisionMode.External });

        var all = await catalog.ProbeAllAsync(Cancel);

        Assert.Equal(BackendCatalog.KnownProfiles, all.Select(availability => availability.Profile));
        Assert.Equal(
            ["memory"],
            all.Where(availability => availability.IsAvailable).Select(availability => availability.Profile));
        Assert.All(all.Skip(1), availability => Assert.NotEmpty(availability.HowToEnable));
    }

    [Fact]
    public async Task Required_profile_that_is_absent_fails_instead_of_skipping()
    {
        await using var catalog = Catalog(new BackendVariables { Require = ["postgres", "mongo"] });

        foreach (var profile in (string[])["postgres", "mongo"])
        {
            var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.RequireOrSkipAsync(profile, Cancel));
            Assert.Contains(
                $"WORKFLOW_PERF_REQUIRE demands it, but profile '{profile}' is not available",
                failure.Message,
                StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Requiring_a_server_requires_its_profiles()
    {
        await using var catalog = Catalog(
            BackendVariables.FromEnvironment(name => name == BackendVariables.RequireName ? "oracle,redis" : null));

        Assert.Equal(["oracle-aq", "oracle-redis"], BackendCatalog.KnownProfiles.Where(catalog.IsRequired));
        await Assert.ThrowsAsync<BackendException>(() => catalog.RequireOrSkipAsync("oracle-aq", Cancel));
    }

    [Theory]
    [InlineData(ProvisionMode.External, "WORKFLOW_PERF_POSTGRES is not set")]
    [InlineData(ProvisionMode.Container, "no engine in this script")]
    [InlineData(ProvisionMode.Native, "no initdb")]
    public async Task Explicit_mode_that_fails_is_an_error(ProvisionMode mode, string reason)
    {
        await using var catalog = Catalog(new BackendVariables { Provision = mode });

        var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.RequireOrSkipAsync("postgres", Cancel));

        AssertHolds(failure.Message, "WORKFLOW_PERF_PROVISION", reason);
    }

    [Fact]
    public async Task Unselected_profile_is_skipped_with_the_variable()
    {
        await using var catalog = Catalog(new BackendVariables { Profiles = ["memory"] });

        var skip = await SkipOfAsync(catalog, "postgres");

        Assert.Contains("WORKFLOW_PERF_PROFILES=memory leaves it out", skip, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Unreachable_server_fails_in_seconds_without_the_password()
    {
        var variables = new BackendVariables
        {
            ConnectionStrings =
                Postgres($"Host=127.0.0.1;Port=1;Username=somebody;Password={Secret};Database=somewhere"),
        };
        await using var catalog = Catalog(variables);
        var start = Stopwatch.GetTimestamp();

        var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.RequireOrSkipAsync("postgres", Cancel));

        Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.Zero, TimeSpan.FromMinutes(1));
        AssertHolds(
            failure.Message,
            "host=127.0.0.1",
            "port=1",
            "database=somewhere",
            "user=somebody",
            "WORKFLOW_PERF_POSTGRES");

        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
        Assert.Same(failure, await Assert.ThrowsAsync<BackendException>(() => catalog.PostgresAsync(Cancel)));
    }

    [Fact]
    public async Task Server_that_is_too_old_is_refused_with_the_required_version()
    {
        await using var old = ScriptedPostgres.Start("9.6.24");
        await using var catalog = Catalog(new BackendVariables { ConnectionStrings = Postgres(old.ConnectionString) });

        var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.PostgresAsync(Cancel));

        AssertHolds(failure.Message, "is PostgreSQL 9.6.24; 14 or newer is needed", "WORKFLOW_PERF_POSTGRES");
    }

    [Fact]
    public async Task Hung_native_server_is_reported_within_seconds()
    {
        var binaries = PostgresBinaries.Find();
        Assert.SkipWhen(
            binaries is null || OperatingSystem.IsWindows(),
            "No server can be started here to be stopped by a signal.");
        await using var server = await PostgresServer.StartNativeAsync(binaries, cancellationToken: Cancel);
        await using var catalog = Catalog(
            new BackendVariables { ConnectionStrings = Postgres(server.AdministrationConnectionString) });
        var start = Stopwatch.GetTimestamp();
        await server.Host.PauseAsync(Cancel);
        try
        {
            var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.PostgresAsync(Cancel));

            Assert.InRange(Stopwatch.GetElapsedTime(start), TimeSpan.FromSeconds(1), TimeSpan.FromMinutes(1));
            Assert.Contains("cannot be used", failure.Message, StringComparison.Ordinal);
        }
        finally
        {
            await server.Host.ContinueAsync(CancellationToken.None);
        }
    }

    [Theory]
    [InlineData($"postgres://somebody:{Secret}@127.0.0.1/somewhere?sslmode=require")]
    [InlineData($"Host=127.0.0.1;Passwrd={Secret}")]
    [InlineData($"Host=127.0.0.1;Port={Secret}")]
    [InlineData($"Host=127.0.0.1;{Secret}")]
    [InlineData($"Password={Secret}")]
    [InlineData(Secret)]
    public async Task Malformed_connection_string_is_not_repeated(string connectionString)
    {
        await using var catalog = Catalog(new BackendVariables { ConnectionStrings = Postgres(connectionString) });

        var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.PostgresAsync(Cancel));

        AssertHolds(failure.Message, "WORKFLOW_PERF_POSTGRES", "Host=...");
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Databases_of_an_external_server_are_dropped_after_the_run()
    {
        var server = await fixture.OwnServerAsync();
        string database;
        await using (var external = await PostgresServer.ConnectAsync(
            server.AdministrationConnectionString, "A_VARIABLE", Cancel))
        {
            database = await external.CreateDatabaseAsync("fresh", Cancel);
            await PostgresServer.ConnectAsync(database, "A_VARIABLE", Cancel);
        }

        var gone = await Assert.ThrowsAsync<BackendException>(
            () => PostgresServer.ConnectAsync(database, "A_VARIABLE", Cancel));
        Assert.Contains("3D000", gone.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task External_server_without_databases_provides_schemas()
    {
        var server = await fixture.OwnServerAsync();
        await server.CreateRoleAsync("plain_user", Secret);
        var known = new NpgsqlConnectionStringBuilder(await server.CreateDatabaseAsync("external", Cancel));
        await server.GrantSchemasAsync(known.ConnectionString, "plain_user");
        var plain =
            new NpgsqlConnectionStringBuilder(known.ConnectionString) { Username = "plain_user", Password = Secret };

        await using (var external = await PostgresServer.ConnectAsync(plain.ConnectionString, "A_VARIABLE", Cancel))
        {
            var schema = new NpgsqlConnectionStringBuilder(await external.CreateDatabaseAsync("fresh", Cancel));
            Assert.Equal(known.Database, schema.Database);
            Assert.StartsWith("wf_fresh_", schema.SearchPath, StringComparison.Ordinal);
            Assert.DoesNotContain(Secret, external.Description, StringComparison.Ordinal);
            Assert.Equal("durable", (await external.ReadSettingsAsync(Cancel)).Durability);
        }

        plain.Password = $"{Secret}-wrong";
        var failure = await Assert.ThrowsAsync<BackendException>(
            () => PostgresServer.ConnectAsync(plain.ConnectionString, "A_VARIABLE", Cancel));
        Assert.Contains("28P01", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, failure.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_who_ask_share_one_server()
    {
        await fixture.Catalog.RequireOrSkipAsync("postgres", Cancel);

        var servers = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => fixture.Catalog.PostgresAsync(Cancel)));

        Assert.All(servers, server => Assert.Same(servers[0], server));
    }

    // Assert.ThrowsAsync lets a skip through, and the test itself would be skipped.
    private static async Task<string> SkipOfAsync(BackendCatalog catalog, string profile)
    {
        try
        {
            await catalog.RequireOrSkipAsync(profile, Cancel);
        }
        catch (SkipException skip)
        {
            return skip.Message;
        }

        Assert.Fail($"'{profile}' was expected to be skipped.");
        return "";
    }

    private static BackendCatalog Catalog(BackendVariables variables) =>
        new(variables, [new PostgresProvider(() => null)], NoEngine);

    private static Task<(IContainerEngine? Engine, string? Refusal)> NoEngine(CancellationToken cancellationToken) =>
        Task.FromResult<(IContainerEngine?, string?)>((null, "no engine in this script"));

    private static Dictionary<ServerKind, string> Postgres(string connectionString) =>
        new() { [ServerKind.Postgres] = connectionString };
}

/// <summary>Provides servers of any kind without starting any. Native mode needs a description.</summary>
internal sealed class ScriptedProvider(ServerKind kind, string? description = null) : ServerProvider
{
    public override ServerKind Kind => kind;
    public override string HowToEnable => $"install {kind}";

    /// <summary>How often the native mode was tried.</summary>
    public int NativeStarts { get; private set; }

    public override Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken) =>
        Task.FromResult<BackendServer>(new Server(kind, connectionString));

    public override Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken)
    {
        NativeStarts++;
        return Task.FromResult(
            description is null
                ? ProvisionOutcome.Refused("not installed") : ProvisionOutcome.Of(new Server(kind, description)));
    }

    private sealed class Server(ServerKind kind, string description) : BackendServer(new Host(description))
    {
        public override ServerKind Kind => kind;
        public override string ConnectionString => "";

        public override Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken) =>
            Task.FromResult(new SettingsReadBack("1", new Dictionary<string, string>(), []));
    }

    private sealed class Host(string description) : ServerHost
    {
        public override ProvisionMode Provision => ProvisionMode.Native;
        public override string Description => description;

        public override Task<string> ReadLogTailAsync(CancellationToken cancellationToken) => Task.FromResult("");
    }
}

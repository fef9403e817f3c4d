namespace IntegrationTests.Containers;

/// <summary>Failures are reported in time with the container's log and leave nothing behind.</summary>
public sealed class ContainerFailureTests : ContainerTests
{
    /// <summary>Enough to start a server, and less than the 90 s that one is given to become ready.</summary>
    private static readonly TimeSpan s_inTime = TimeSpan.FromSeconds(80);

    private readonly long _start = Stopwatch.GetTimestamp();

    [Fact]
    public async Task Unknown_image_is_refused_with_its_variable()
    {
        var variables = new BackendVariables
        {
            Images = new Dictionary<ServerKind, string> { [ServerKind.Postgres] = "workflow-perf/nobody-made-this:1" },
        };
        await using var catalog = new BackendCatalog(variables, [new PostgresProvider(() => null)], FindOwnAsync);

        var failure = await Assert.ThrowsAsync<BackendException>(() => catalog.RequireOrSkipAsync("postgres", Cancel));

        AssertReports(
            failure, "WORKFLOW_PERF_IMAGE_POSTGRES names workflow-perf/nobody-made-this:1", "cannot be pulled",
            "unset WORKFLOW_PERF_IMAGE_POSTGRES");
    }

    [Fact]
    public async Task Missing_image_makes_auto_fall_through()
    {
        var found = await Engine.FindImageAsync(
            new ContainerImage(
                ServerKind.Postgres.Name, "workflow-perf/nobody-made-this:1", "workflow-perf/nor-this:1"),
            mayTakeMinutes: false, Cancel);

        Assert.Null(found.Reference);
        Assert.Contains(
            "fixtures/containers/build.sh postgres, or docker pull workflow-perf/nobody-made-this:1", found.Refusal,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Missing_image_is_refused_at_once_without_a_pull()
    {
        var found = await Engine.FindImageAsync(
            new ContainerImage(ServerKind.Mongo.Name, "workflow-perf/nobody-made-this:1", Local: null)
            {
                IsPulledAutomatically = false,
            },
            mayTakeMinutes: false, Cancel);

        Assert.Equal((null, "image workflow-perf/nobody-made-this:1 is not here"), (found.Reference, found.Refusal));
    }

    [Fact]
    public async Task Server_that_exits_is_reported_with_its_exit_code_and_log()
    {
        var request = new ContainerRequest
        {
            Kind = ServerKind.Postgres.Name,
            Image = await ImageAsync(ServerKind.Postgres),
            Ports = [5432],
            Environment = new Dictionary<string, string> { ["POSTGRES_PASSWORD"] = "never to be shown" },
            Command = ["postgres", "-c", "no_such_setting=1"],
        };

        var failure = await Assert.ThrowsAsync<BackendException>(() =>
            ServerInContainer.StartAsync(Engine, request, (_, _) => Task.FromResult<string?>("not asked"), Cancel));

        AssertReports(failure, "ended with exit code 1", "no_such_setting", request.Image);
        Assert.DoesNotContain("never to be shown", failure.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_the_image_misses_is_reported_in_its_own_words()
    {
        var request =
            new ContainerRequest
            {
                Kind = ServerKind.Postgres.Name, Image = await ImageAsync(ServerKind.Postgres), Ports = [5432],
            };

        var failure = await Assert.ThrowsAsync<BackendException>(() =>
            ServerInContainer.StartAsync(Engine, request, (_, _) => Task.FromResult<string?>("not asked"), Cancel));

        AssertReports(failure, "POSTGRES_PASSWORD", "ended with exit code");
    }

    [Fact]
    public async Task What_the_engine_refuses_is_reported_in_its_own_words()
    {
        var request = new ContainerRequest
        {
            Kind = ServerKind.Redis.Name,
            Image = "workflow-perf/nobody-made-this:1",
            Ports = [6379],
            Environment = new Dictionary<string, string> { ["PASSWORD"] = "never to be shown" },
        };

        var failure = await Assert.ThrowsAsync<BackendException>(() => Engine.StartAsync(request, Cancel));

        AssertReports(failure, "Docker cannot start workflow-redis-", "status 404", "workflow-perf/nobody-made-this:1");
        Assert.DoesNotContain("never to be shown", failure.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Full_disk_is_reported_with_the_words_of_the_server()
    {
        const long TooSmall = 16 << 20;
        await ImageAsync(ServerKind.Postgres);

        var failure = await Assert.ThrowsAsync<BackendException>(() => StartPostgresAsync(TooSmall));

        AssertReports(failure, "No space left on device", "ended with exit code");
    }

    [Fact]
    public async Task Disk_full_during_a_run_is_reported_with_the_log()
    {
        const long Small = 160 << 20;
        await using var server = await StartPostgresAsync(Small);
        const string Fill = "COPY (SELECT 1) TO PROGRAM 'dd if=/dev/zero of=/var/lib/postgresql/data/rest bs=64k'";
        await Assert.ThrowsAsync<PostgresException>(
            () => Statements.ScalarAsync(server.AdministrationConnectionString, Fill));

        var failure = await Assert.ThrowsAsync<BackendException>(() => server.CreateDatabaseAsync("no room", Cancel));

        AssertReports(failure, "CREATE DATABASE", "No space left on device", server.Host.Container!.Name);
    }

    [Fact]
    public async Task Wrong_password_is_reported_without_the_password()
    {
        await using var server = await StartPostgresAsync();
        var known = new NpgsqlConnectionStringBuilder(server.AdministrationConnectionString);
        var password = new NpgsqlConnectionStringBuilder(known.ConnectionString) { Password = "open-sesame-4711" };
        var port = new NpgsqlConnectionStringBuilder(known.ConnectionString) { Port = LoopbackPort.Free() };

        var wrongPassword = await Assert.ThrowsAsync<BackendException>(() =>
            PostgresServer.ConnectAsync(password.ConnectionString, "A_VARIABLE", Cancel));
        var wrongPort = await Assert.ThrowsAsync<BackendException>(() =>
            PostgresServer.ConnectAsync(port.ConnectionString, "A_VARIABLE", Cancel));

        AssertReports(wrongPassword, "28P01", "user=postgres", "Correct A_VARIABLE");
        AssertReports(wrongPort, $"port={port.Port}", "Connection refused", "Correct A_VARIABLE");
        Assert.DoesNotContain("open-sesame-4711", wrongPassword.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain(known.Password!, wrongPort.ToString(), StringComparison.Ordinal);
    }

    private void AssertReports(BackendException failure, params string[] parts)
    {
        Assert.InRange(Stopwatch.GetElapsedTime(_start), TimeSpan.Zero, s_inTime);
        Assert.All(parts, part => Assert.Contains(part, failure.Message, StringComparison.Ordinal));
    }

    private Task<(IContainerEngine? Engine, string? Refusal)> FindOwnAsync(CancellationToken cancellationToken) =>
        Task.FromResult<(IContainerEngine?, string?)>((new BorrowedEngine(Engine), null));
}

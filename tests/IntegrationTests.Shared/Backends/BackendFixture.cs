using PerformanceTesting.Backends;
using PerformanceTesting.Backends.PostgreSql;
using PerformanceTesting.Processes;

namespace IntegrationTests.Shared.Backends;

/// <summary>
/// Holds the catalogue of one test process: <c>[assembly: AssemblyFixture(typeof(BackendFixture))]</c> and a constructor parameter of
/// this type. Nothing is started before a test asks; what was started is stopped when the assembly ends.
/// </summary>
public sealed class BackendFixture : IAsyncLifetime
{
    private BackendCatalog? _catalog;

    /// <summary>
    /// Whether times are measured: then servers keep their data on a disk, as a user's do. Else they keep them in memory, since what a test
    /// of their behaviour waits for is mostly the making of files.
    /// </summary>
    public bool Measures { get; init; }

    /// <summary>The catalogue over the environment's variables.</summary>
    public BackendCatalog Catalog =>
        _catalog
            ?? throw new InvalidOperationException("The fixture is not initialised; take it by a constructor parameter of the test class.");

    public ValueTask InitializeAsync()
    {
        _catalog = new BackendCatalog(
            BackendVariables.FromEnvironment(),
            Measures ? null : [new PostgresProvider(inMemory: true), .. BackendCatalog.KnownProviders()]);
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync() => _catalog?.DisposeAsync() ?? ValueTask.CompletedTask;
}

/// <summary>Skips a test whose backend is not available here, with the reason and the command that enables it.</summary>
public static class BackendSkips
{
    /// <summary>Goes on when the profile is available; otherwise skips the test.</summary>
    /// <exception cref="BackendException">It is not available and <c>WORKFLOW_PERF_REQUIRE</c> names it.</exception>
    public static async Task RequireOrSkipAsync(this BackendCatalog catalog, string profile, CancellationToken cancellationToken)
    {
        var availability = await catalog.ProbeAsync(profile, cancellationToken);
        SkipUnless(availability.IsAvailable, catalog.IsRequired(profile), availability.ToString());
    }

    /// <summary>The server of a kind that no profile names, e.g. a transport's; otherwise skips the test.</summary>
    /// <exception cref="BackendException">It is not available and <c>WORKFLOW_PERF_REQUIRE</c> names it.</exception>
    public static async Task<BackendServer> RequireServerOrSkipAsync(
        this BackendCatalog catalog, ServerKind kind, CancellationToken cancellationToken)
    {
        var (server, refusal) = await catalog.FindServerAsync(kind, cancellationToken);
        SkipUnless(server is not null, catalog.IsRequired(kind), refusal);
        return server!;
    }

    private static void SkipUnless(bool isAvailable, bool isRequired, string reason)
    {
        if (!isAvailable && isRequired)
        {
            throw new BackendException($"{BackendVariables.RequireName} demands it, but {reason}");
        }

        Assert.SkipUnless(isAvailable, reason);
    }
}

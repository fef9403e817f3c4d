using PerformanceTesting.Backends;
using PerformanceTesting.Processes;

namespace IntegrationTests.Shared.Backends;

/// <summary>Skips a test whose backend is not available, with the reason and the command that enables it.</summary>
public static class BackendSkips
{
    /// <summary>Goes on when the profile is available; otherwise skips the test.</summary>
    /// <exception cref="BackendException">It is not available and <c>WORKFLOW_PERF_REQUIRE</c> names it.</exception>
    public static async Task RequireOrSkipAsync(
        this BackendCatalog catalog, string profile, CancellationToken cancellationToken)
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

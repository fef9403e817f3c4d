using System.Runtime.ExceptionServices;
using Xunit;

namespace IntegrationTests.Shared.Backends;

/// <summary>
/// Decides which profiles can be had on this machine and holds their servers: one of each kind per test process, started when first
/// asked for. Thread-safe.
/// </summary>
public sealed class BackendCatalog : IAsyncDisposable
{
    private readonly BackendVariables _variables;
    private readonly PostgresProvisioner _provisioner;
    private readonly SemaphoreSlim _gate = new(1, 1);
    private (PostgresServer? Server, IReadOnlyList<ProvisionAttempt> Attempts)? _postgres;
    private ExceptionDispatchInfo? _failure;

    /// <summary>A catalogue over given variables.</summary>
    /// <param name="variables">What was asked for.</param>
    /// <param name="findBinaries">Finds installed PostgreSQL binaries; the usual places when omitted.</param>
    public BackendCatalog(BackendVariables variables, Func<PostgresBinaries?>? findBinaries = null)
    {
        _variables = variables;
        _provisioner = new PostgresProvisioner(variables, findBinaries ?? PostgresBinaries.Find);
    }

    /// <summary>The profiles that <c>WORKFLOW_PERF_PROFILES</c> selects.</summary>
    public IReadOnlyList<BackendProfile> Selected => _variables.Profiles;

    /// <summary>Whether a profile can be had; starts its server to find out.</summary>
    /// <exception cref="BackendException">A way that was chosen explicitly fails.</exception>
    public async Task<ProfileAvailability> ProbeAsync(BackendProfile profile, CancellationToken cancellationToken)
    {
        if (!_variables.Profiles.Contains(profile))
        {
            return Absent(
                profile,
                $"{BackendVariables.ProfilesName}={string.Join(',', _variables.Profiles)} leaves it out",
                $"add it to {BackendVariables.ProfilesName}, or unset that",
                []);
        }

        if (profile == BackendProfile.Memory)
        {
            return new ProfileAvailability(profile, IsAvailable: true, "embedded in the test process", "", []);
        }

        if (profile != BackendProfile.Postgres)
        {
            return Absent(profile, "this version has no adapter for it", "nothing does yet", []);
        }

        var (server, attempts) = await ProvisionAsync(cancellationToken);
        return server is not null
            ? new ProfileAvailability(profile, IsAvailable: true, server.Description, "", attempts)
            : Absent(profile, string.Join("; ", attempts), PostgresProvisioner.HowToEnable, attempts);
    }

    /// <summary>Goes on when the profile can be had; otherwise skips the test with the reason and the command that enables it.</summary>
    /// <exception cref="BackendException">It cannot be had and <c>WORKFLOW_PERF_REQUIRE</c> names it.</exception>
    public async Task RequireOrSkipAsync(BackendProfile profile, CancellationToken cancellationToken)
    {
        var availability = await ProbeAsync(profile, cancellationToken);
        if (availability.IsAvailable)
        {
            return;
        }

        if (_variables.Require.Contains(profile))
        {
            throw new BackendException($"{BackendVariables.RequireName} demands it, but {availability}");
        }

        Assert.Skip(availability.ToString());
    }

    /// <summary>The PostgreSQL server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none to be had; call <see cref="RequireOrSkipAsync"/> first to skip instead.</exception>
    public async Task<PostgresServer> PostgresAsync(CancellationToken cancellationToken)
    {
        var (server, attempts) = await ProvisionAsync(cancellationToken);
        return server ?? throw new BackendException(
            $"No PostgreSQL server can be had: {string.Join("; ", attempts)}. To enable it: {PostgresProvisioner.HowToEnable}.");
    }

    /// <summary>A markdown table of the profiles that this run does not exercise; empty when there are none.</summary>
    /// <param name="cancellationToken">Ends the wait for servers that are started to find out.</param>
    public async Task<string> DescribeNotExercisedAsync(CancellationToken cancellationToken)
    {
        var rows = new List<string>();
        foreach (var profile in BackendProfile.All)
        {
            var availability = await ProbeAsync(profile, cancellationToken);
            if (!availability.IsAvailable)
            {
                rows.Add($"| {profile} | {availability.Reason} | {availability.HowToEnable} |");
            }
        }

        string[] head = ["| not exercised | why | what enables it |", "|---|---|---|"];
        return rows.Count == 0 ? "" : string.Join(Environment.NewLine, [.. head, .. rows]);
    }

    public async ValueTask DisposeAsync()
    {
        if (_postgres?.Server is { } server)
        {
            await server.DisposeAsync();
        }

        _gate.Dispose();
    }

    private static ProfileAvailability Absent(
        BackendProfile profile, string reason, string howToEnable, IReadOnlyList<ProvisionAttempt> attempts) =>
        new(profile, IsAvailable: false, reason, howToEnable, attempts);

    // A failure is kept like a success, so that a hundred tests do not each wait for the same time-out; a cancelled wait is not.
    private async Task<(PostgresServer? Server, IReadOnlyList<ProvisionAttempt> Attempts)> ProvisionAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            _failure?.Throw();
            return _postgres ??= await _provisioner.ProvisionAsync(cancellationToken);
        }
        catch (Exception exception) when (exception is not OperationCanceledException && _failure is null)
        {
            _failure = ExceptionDispatchInfo.Capture(exception);
            throw;
        }
        finally
        {
            _gate.Release();
        }
    }
}

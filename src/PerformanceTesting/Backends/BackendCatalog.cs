using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.Memory;
using PerformanceTesting.Backends.MongoDb;
using PerformanceTesting.Backends.Oracle;
using PerformanceTesting.Backends.PostgreSql;
using PerformanceTesting.Backends.RabbitMq;
using PerformanceTesting.Backends.Redis;

namespace PerformanceTesting.Backends;

/// <summary>
/// Finds backends by the names of their profiles, decides which are available on this machine, and holds their servers:
/// one of each kind per test process, which starts when it is first needed. Thread-safe.
/// </summary>
public sealed class BackendCatalog : IAsyncDisposable
{
    private readonly BackendVariables _variables;
    private readonly ContainerProvisioner _containers;
    private readonly IReadOnlyList<Backend> _backends;
    private readonly Dictionary<ServerKind, ServerSlot> _slots;

    /// <param name="providers">
    /// Provide the servers; the first one of each kind counts. Default: all known providers.
    /// </param>
    /// <param name="findEngine">
    /// Finds the container engine, or the reason why none answers. Default: the environment's.
    /// </param>
    /// <param name="additional">Backends besides those of this library, always selected.</param>
    public BackendCatalog(
        BackendVariables variables,
        IReadOnlyList<ServerProvider>? providers = null,
        Func<CancellationToken, Task<(IContainerEngine? Engine, string? Refusal)>>? findEngine = null,
        IReadOnlyList<Backend>? additional = null)
    {
        _variables = variables;
        _containers = new ContainerProvisioner(variables, findEngine);
        _backends = [.. Known(), .. additional ?? []];
        Selected = [.. variables.Profiles, .. (additional ?? []).Select(backend => backend.Name)];
        _slots = (providers ?? KnownProviders()).Concat((additional ?? []).SelectMany(backend => backend.Servers))
            .DistinctBy(provider => provider.Kind)
            .ToDictionary(provider => provider.Kind, provider => new ServerSlot(provider, variables, _containers));
    }

    /// <summary>The profiles of this library's backends.</summary>
    public static IReadOnlyList<string> KnownProfiles { get; } = [.. Known().Select(backend => backend.Name)];

    /// <summary><see cref="KnownProfiles"/>, and those of additional backends.</summary>
    public IReadOnlyList<string> Profiles => [.. KnownProfiles.Union(_backends.Select(backend => backend.Name))];

    /// <summary>The profiles that <c>WORKFLOW_PERF_PROFILES</c> selects.</summary>
    public IReadOnlyList<string> Selected { get; }

    /// <summary>The backend of a profile; the case of the name does not matter.</summary>
    /// <exception cref="BackendException">No profile has that name.</exception>
    public Backend Get(string profile) => Find(profile)
        ?? throw new BackendException($"'{profile}' is not a profile. Known: {string.Join(", ", Profiles)}.");

    /// <summary>A profile's backend on its servers, which start when they are first needed.</summary>
    /// <exception cref="BackendException">There is no such profile, or one of its servers is not available.</exception>
    public async Task<Backend> OpenAsync(string profile, CancellationToken cancellationToken)
    {
        var backend = Get(profile);
        var servers = new List<BackendServer>();
        foreach (var provider in backend.Servers)
        {
            servers.Add(await ServerAsync(provider.Kind, cancellationToken));
        }

        return backend.UseServers(servers);
    }

    /// <summary>Whether a profile is available; starts the servers that it needs to find out.</summary>
    /// <exception cref="BackendException">An explicit choice, by mode or by connection string, fails.</exception>
    public async Task<ProfileAvailability> ProbeAsync(string profile, CancellationToken cancellationToken)
    {
        if (!Selected.Contains(profile))
        {
            return Absent(
                profile,
                $"{BackendVariables.ProfilesName}={string.Join(',', _variables.Profiles)} leaves it out",
                $"add it to {BackendVariables.ProfilesName}, or unset that");
        }

        var backend = Get(profile);
        if (backend.Servers.FirstOrDefault(provider => !_slots.ContainsKey(provider.Kind)) is { } unknown)
        {
            return Absent(profile, NoProvider(unknown.Kind), "add a provider of that kind to the catalogue");
        }

        var servers = new List<BackendServer>();
        var attempts = new List<ProvisionOutcome>();
        foreach (var slot in backend.Servers.Select(provider => _slots[provider.Kind]))
        {
            var tried = await slot.GetAsync(cancellationToken);
            attempts.AddRange(tried);
            if (tried[^1].Server is not { } server)
            {
                var reason = $"no {slot.Provider.Kind.Product} server: {string.Join("; ", tried)}";
                return Absent(profile, reason, slot.Provider.HowToEnable) with { Attempts = attempts };
            }

            servers.Add(server);
        }

        var serves = servers.Count == 0
            ? "embedded in the test process"
            : string.Join(", ", servers.Select(one => one.Description));
        return new ProfileAvailability(profile, IsAvailable: true, serves, "", attempts);
    }

    /// <summary>
    /// All profiles, available or not; starts their servers to find out. The failure of an explicit choice is reported
    /// as a reason, since it concerns only the tests that need that server.
    /// </summary>
    public async Task<IReadOnlyList<ProfileAvailability>> ProbeAllAsync(CancellationToken cancellationToken)
    {
        // Servers of different kinds start side by side.
        return await Task.WhenAll(Profiles.Select(TryAsync));

        async Task<ProfileAvailability> TryAsync(string profile)
        {
            try
            {
                return await ProbeAsync(profile, cancellationToken);
            }
            catch (BackendException exception)
            {
                const string Remedy =
                    $"correct or unset {BackendVariables.ProvisionName} and the variable of the server";
                return Absent(profile, exception.Message, Remedy);
            }
        }
    }

    /// <summary>
    /// Whether <c>WORKFLOW_PERF_REQUIRE</c> names the profile, or the kind of server that its store lives on.
    /// </summary>
    public bool IsRequired(string profile) =>
        _variables.Require.Contains(profile)
        || (Find(profile)?.Servers is [{ Kind: var kind }, ..] && _variables.RequireServers.Contains(kind));

    public bool IsRequired(ServerKind kind) => _variables.RequireServers.Contains(kind);

    /// <summary>The server of a kind, or why there is none and what enables it. Starts the server.</summary>
    public async Task<(BackendServer? Server, string Refusal)> FindServerAsync(
        ServerKind kind, CancellationToken cancellationToken)
    {
        if (!_slots.TryGetValue(kind, out var slot))
        {
            return (null, NoProvider(kind));
        }

        var attempts = await slot.GetAsync(cancellationToken);
        return (
            attempts[^1].Server,
            $"no {kind.Product} server is available: {string.Join("; ", attempts)}. "
                + $"To enable it: {slot.Provider.HowToEnable}");
    }

    /// <summary>The server of a kind, started when first asked for.</summary>
    /// <exception cref="BackendException">None is available. Tests check first, and skip.</exception>
    public async Task<BackendServer> ServerAsync(ServerKind kind, CancellationToken cancellationToken)
    {
        var (server, refusal) = await FindServerAsync(kind, cancellationToken);
        return server ?? throw new BackendException(refusal);
    }

    /// <inheritdoc cref="ServerAsync"/>
    public async Task<PostgresServer> PostgresAsync(CancellationToken cancellationToken) =>
        (PostgresServer)await ServerAsync(ServerKind.Postgres, cancellationToken);

    /// <inheritdoc cref="ServerAsync"/>
    public async Task<MongoServer> MongoAsync(CancellationToken cancellationToken) =>
        (MongoServer)await ServerAsync(ServerKind.Mongo, cancellationToken);

    /// <inheritdoc cref="ServerAsync"/>
    public async Task<OracleServer> OracleAsync(CancellationToken cancellationToken) =>
        (OracleServer)await ServerAsync(ServerKind.Oracle, cancellationToken);

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_slots.Values.Select(slot => slot.DisposeAsync().AsTask()));
        _containers.Dispose();
    }

    /// <summary>Providers of every kind of server.</summary>
    internal static IReadOnlyList<ServerProvider> KnownProviders() =>
    [
        new PostgresProvider(), new OracleProvider(), new MongoProvider(), new RedisProvider(), new RabbitMqProvider(),
    ];

    /// <summary>Every profile of this library; to add one, add a line.</summary>
    private static IReadOnlyList<Backend> Known() =>
    [
        new MemoryBackend(),
        new PostgresBackend("postgres", SignalDriver.Native),
        new PostgresBackend("postgres-redis", new RedisDriver()),
        new OracleBackend("oracle-aq", SignalDriver.Native),
        new OracleBackend("oracle-redis", new RedisDriver()),
        new MongoBackend("mongo", SignalDriver.Native),
        new MongoBackend("mongo-redis", new RedisDriver()),
    ];

    private static string NoProvider(ServerKind kind) => $"nothing provides {kind.Product} servers";

    private static ProfileAvailability Absent(string profile, string reason, string howToEnable) =>
        new(profile, IsAvailable: false, reason, howToEnable, []);

    private Backend? Find(string profile) =>
        _backends.FirstOrDefault(
            backend => string.Equals(backend.Name, profile.Trim(), StringComparison.OrdinalIgnoreCase));
}

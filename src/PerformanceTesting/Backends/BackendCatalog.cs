using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.Memory;
using PerformanceTesting.Backends.MongoDb;
using PerformanceTesting.Backends.Oracle;
using PerformanceTesting.Backends.PostgreSql;
using PerformanceTesting.Backends.RabbitMq;
using PerformanceTesting.Backends.Redis;

namespace PerformanceTesting.Backends;

/// <summary>
/// Finds backends by their profiles' names, decides which are available on this machine, and holds their servers: one of each kind per test
/// process, started when first asked for. Thread-safe.
/// </summary>
public sealed class BackendCatalog : IAsyncDisposable
{
    private readonly BackendVariables _variables;
    private readonly ContainerProvisioner _containers;
    private readonly IReadOnlyList<Backend> _backends;
    private readonly Dictionary<ServerKind, ServerSlot> _slots;

    /// <param name="providers">Provide servers, the first of each kind; every known one when omitted.</param>
    /// <param name="findEngine">Finds the engine for containers, or says why none answers; the environment's when omitted.</param>
    /// <param name="additional">Backends besides those of this assembly; they are selected whatever the variables say.</param>
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

    /// <summary>The backend of a profile, whatever the name's case.</summary>
    /// <exception cref="BackendException">There is none of that name.</exception>
    public Backend Get(string profile) => Find(profile)
        ?? throw new BackendException($"'{profile}' is not a profile. Known: {string.Join(", ", Profiles)}.");

    /// <summary>A profile's backend with its servers, started when first asked for.</summary>
    /// <exception cref="BackendException">There is no such profile, or one of its servers is not available.</exception>
    public async Task<RunningBackend> OpenAsync(string profile, CancellationToken cancellationToken)
    {
        var backend = Get(profile);
        var servers = new List<BackendServer>();
        foreach (var provider in backend.Servers)
        {
            servers.Add(await ServerAsync(provider.Kind, cancellationToken));
        }

        return new RunningBackend(backend, new ServerSet(servers));
    }

    /// <summary>Whether a profile is available; starts the servers that it needs to find out.</summary>
    /// <exception cref="BackendException">What was chosen explicitly, by mode or by connection string, fails.</exception>
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
        var attempts = new List<ProvisionAttempt>();
        foreach (var slot in backend.Servers.Select(provider => _slots[provider.Kind]))
        {
            var (server, tried) = await slot.GetAsync(cancellationToken);
            attempts.AddRange(tried);
            if (server is null)
            {
                var reason = $"no {slot.Provider.Kind.Product} server: {string.Join("; ", tried)}";
                return Absent(profile, reason, slot.Provider.HowToEnable) with { Attempts = attempts };
            }

            servers.Add(server);
        }

        var serves = servers.Count == 0 ? "embedded in the test process" : string.Join(", ", servers.Select(server => server.Description));
        return new ProfileAvailability(profile, IsAvailable: true, serves, "", attempts);
    }

    /// <summary>
    /// Every profile that has a name, available or not; starts the servers that they need to find out. What was chosen explicitly and fails
    /// is reported as a reason, as it concerns those only who need that server.
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
                const string Remedy = $"correct or unset {BackendVariables.ProvisionName} and the variable of the server";
                return Absent(profile, exception.Message, Remedy);
            }
        }
    }

    /// <summary>A markdown table of every profile: whether it is available, why, and what enables it.</summary>
    public async Task<string> DescribeProfilesAsync(CancellationToken cancellationToken)
    {
        var rows = (await ProbeAllAsync(cancellationToken)).Select(found => found.IsAvailable
            ? $"| {found.Profile} | yes | {found.Reason} | – |"
            : $"| {found.Profile} | no | {found.Reason} | {found.HowToEnable} |");
        string[] head = ["| profile | available | why | what enables it |", "|---|---|---|---|"];
        return string.Join(Environment.NewLine, [.. head, .. rows]);
    }

    /// <summary>Whether <c>WORKFLOW_PERF_REQUIRE</c> names the profile, or the kind of server that its store lives on.</summary>
    public bool IsRequired(string profile) =>
        _variables.Require.Contains(profile) || (KindOf(profile) is { } kind && _variables.RequireServers.Contains(kind));

    public bool IsRequired(ServerKind kind) => _variables.RequireServers.Contains(kind);

    /// <summary>The server of a kind, or why there is none and what enables it; starts the server to find out.</summary>
    public async Task<(BackendServer? Server, string Refusal)> FindServerAsync(ServerKind kind, CancellationToken cancellationToken)
    {
        if (!_slots.TryGetValue(kind, out var slot))
        {
            return (null, NoProvider(kind));
        }

        var (server, attempts) = await slot.GetAsync(cancellationToken);
        return (server, $"no {kind.Product} server is available: {string.Join("; ", attempts)}. To enable it: {slot.Provider.HowToEnable}");
    }

    /// <summary>The server of a kind, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available; a test asks whether it is before, and skips.</exception>
    public async Task<BackendServer> ServerAsync(ServerKind kind, CancellationToken cancellationToken)
    {
        var (server, refusal) = await FindServerAsync(kind, cancellationToken);
        return server ?? throw new BackendException(refusal);
    }

    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll(_slots.Values.Select(slot => slot.DisposeAsync().AsTask()));
        _containers.Dispose();
    }

    /// <summary>Providers of every kind of server; the reason that a kind is not available names what enables it.</summary>
    internal static IReadOnlyList<ServerProvider> KnownProviders() =>
        [new PostgresProvider(), new OracleProvider(), new MongoProvider(), new RedisProvider(), new RabbitMqProvider()];

    private static IReadOnlyList<Backend> Known() =>
    [
        new MemoryBackend(), new PostgresAlone(), new PostgresWithRedis(), new OracleWithQueues(), new OracleWithRedis(), new MongoAlone(),
        new MongoWithRedis(),
    ];

    private static string NoProvider(ServerKind kind) => $"nothing provides {kind.Product} servers";

    /// <summary>The kind of server that a profile's store lives on, by the profile's name; null for memory.</summary>
    private static ServerKind? KindOf(string profile) =>
        ServerKind.All.FirstOrDefault(kind => profile == kind.Name || profile.StartsWith($"{kind.Name}-", StringComparison.Ordinal));

    private static ProfileAvailability Absent(string profile, string reason, string howToEnable) =>
        new(profile, IsAvailable: false, reason, howToEnable, []);

    private Backend? Find(string profile) =>
        _backends.FirstOrDefault(backend => string.Equals(backend.Name, profile.Trim(), StringComparison.OrdinalIgnoreCase));
}

/// <summary>Whether a profile is available on this machine, and if not, why and what to do.</summary>
/// <param name="IsAvailable">True when tests of the profile run.</param>
/// <param name="Reason">What serves it, or why nothing does.</param>
/// <param name="HowToEnable">The command or variable that makes it available; empty when it is.</param>
/// <param name="Attempts">The modes that were tried, in order.</param>
public sealed record ProfileAvailability(
    string Profile, bool IsAvailable, string Reason, string HowToEnable, IReadOnlyList<ProvisionAttempt> Attempts)
{
    public override string ToString() =>
        IsAvailable
            ? $"profile '{Profile}' is available: {Reason}"
            : $"profile '{Profile}' is not available: {Reason}. To enable it: {HowToEnable}";
}

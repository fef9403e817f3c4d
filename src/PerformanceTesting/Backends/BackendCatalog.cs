using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.Mongo;
using PerformanceTesting.Backends.Oracle;
using System.Reflection;

namespace PerformanceTesting.Backends;

/// <summary>
/// Decides which profiles can be had on this machine and holds their servers: one of each kind per test process, started when first
/// asked for. Thread-safe.
/// </summary>
public sealed class BackendCatalog : IAsyncDisposable
{
    private readonly BackendVariables _variables;
    private static readonly string[] KnownProfiles = ["memory", "postgres", "postgres-redis", "oracle-aq", "oracle-redis", "mongo", "mongo-redis"];

    private readonly Dictionary<ServerKind, ServerSlot> _slots;
    private readonly IReadOnlyList<Backend> _backends;
    private readonly IReadOnlyList<Backend> _additional;
    private readonly ContainerWay _containers;

    /// <summary>A catalogue over given variables.</summary>
    /// <param name="variables">What was asked for.</param>
    /// <param name="providers">The ways to servers, at most one of a kind; every known one when omitted.</param>
    /// <param name="findEngine">Finds the engine for containers, or says why none answers; the environment's when omitted.</param>
    /// <param name="additional">Backends besides those of this assembly; they are selected whatever the variables say.</param>
    public BackendCatalog(
        BackendVariables variables,
        IReadOnlyList<ServerProvider>? providers = null,
        Func<CancellationToken, Task<(IContainerEngine? Engine, string? Refusal)>>? findEngine = null,
        IReadOnlyList<Backend>? additional = null)
    {
        _variables = variables;
        _containers = new ContainerWay(variables, findEngine);
        _additional = additional ?? [];
        _backends = [.. FindAll<Backend>(), .. _additional];
        _slots = (providers ?? FindAll<ServerProvider>()).Concat(_additional.SelectMany(backend => backend.Servers)).DistinctBy(provider => provider.Kind)
            .ToDictionary(provider => provider.Kind, provider => new ServerSlot(provider, variables, _containers));
    }

    /// <summary>The names of all profiles, those that this build lacks among them.</summary>
    public IReadOnlyList<string> Profiles => [.. KnownProfiles.Union(_backends.Select(backend => backend.Name))];

    /// <summary>The backend of a profile, whatever the name's case.</summary>
    /// <exception cref="BackendException">There is none of that name, or this build lacks it.</exception>
    public Backend Get(string profile) => Find(profile)
        ?? throw new BackendException(
            KnownProfiles.Contains(profile) ? $"{AbsentFromBuild(profile)}: {FullFeed}." : $"'{profile}' is not a profile. Known: {string.Join(", ", Profiles)}.");

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
    /// <exception cref="BackendException">A way that was chosen explicitly fails.</exception>
    public Task<ProfileAvailability> ProbeAsync(string profile, CancellationToken cancellationToken) =>
        ProbeAsync(BackendProfile.Find(profile) ?? new BackendProfile(profile, "", ""), cancellationToken);

    /// <summary>Whether <c>WORKFLOW_PERF_REQUIRE</c> names the profile.</summary>
    public bool IsRequired(string profile) => _variables.Require.Any(required => required.Name == profile);

    /// <summary>The profiles that <c>WORKFLOW_PERF_PROFILES</c> selects.</summary>
    public IReadOnlyList<BackendProfile> Selected => _variables.Profiles;

    /// <summary>Whether a profile can be had; starts the servers that it needs to find out.</summary>
    /// <exception cref="BackendException">A way that was chosen explicitly fails.</exception>
    public async Task<ProfileAvailability> ProbeAsync(BackendProfile profile, CancellationToken cancellationToken)
    {
        if (!_variables.Profiles.Contains(profile) && !_additional.Any(backend => backend.Name == profile.Name))
        {
            return Absent(
                profile,
                $"{BackendVariables.ProfilesName}={string.Join(',', _variables.Profiles)} leaves it out",
                $"add it to {BackendVariables.ProfilesName}, or unset that",
                []);
        }

        if (Find(profile.Name) is not { } backend)
        {
            return Absent(profile, AbsentFromBuild(profile.Name), FullFeed, []);
        }

        var kinds = backend.Servers.Select(provider => provider.Kind).ToList();
        if (kinds.Find(kind => !_slots.ContainsKey(kind)) is { } unknown)
        {
            return Absent(profile, $"this version has no adapter for {unknown.Product}", "nothing does yet", []);
        }

        var servers = new List<BackendServer>();
        var attempts = new List<ProvisionAttempt>();
        foreach (var slot in kinds.Select(kind => _slots[kind]))
        {
            var (server, tried) = await slot.GetAsync(cancellationToken);
            attempts.AddRange(tried);
            if (server is null)
            {
                return Absent(profile, $"no {slot.Provider.Kind.Product} server: {string.Join("; ", tried)}", slot.Provider.HowToEnable, attempts);
            }

            servers.Add(server);
        }

        var reason = servers.Count == 0 ? "embedded in the test process" : string.Join(", ", servers.Select(server => server.Description));
        return new ProfileAvailability(profile, IsAvailable: true, reason, "", attempts);
    }

    /// <summary>Whether <c>WORKFLOW_PERF_REQUIRE</c> names the profile.</summary>
    public bool IsRequired(BackendProfile profile) => _variables.Require.Contains(profile);

    /// <summary>Whether <c>WORKFLOW_PERF_REQUIRE</c> names the kind of server.</summary>
    public bool IsRequired(ServerKind kind) => _variables.RequireServers.Contains(kind);

    /// <summary>The server of a kind, started when first asked for.</summary>
    /// <exception cref="BackendException">
    /// There is none available; a test asks whether it is before, and skips.
    /// </exception>
    public async Task<BackendServer> ServerAsync(ServerKind kind, CancellationToken cancellationToken)
    {
        var (server, refusal) = await FindServerAsync(kind, cancellationToken);
        return server ?? throw new BackendException(refusal);
    }

    /// <summary>The PostgreSQL server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available.</exception>
    public async Task<PostgresServer> PostgresAsync(CancellationToken cancellationToken) =>
        (PostgresServer)await ServerAsync(ServerKind.Postgres, cancellationToken);

    /// <summary>The Oracle server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available.</exception>
    public async Task<OracleServer> OracleAsync(CancellationToken cancellationToken) => (OracleServer)await ServerAsync(ServerKind.Oracle, cancellationToken);

    /// <summary>The MongoDB server of this process, started when first asked for.</summary>
    /// <exception cref="BackendException">There is none available.</exception>
    public async Task<MongoServer> MongoAsync(CancellationToken cancellationToken) => (MongoServer)await ServerAsync(ServerKind.Mongo, cancellationToken);

    /// <summary>
    /// Every profile that has a name, available or not; starts the servers that they need to find out. A way that was chosen explicitly and fails is
    /// told as a reason, as it concerns those only who need that server.
    /// </summary>
    public async Task<IReadOnlyList<ProfileAvailability>> ProbeAllAsync(CancellationToken cancellationToken)
    {
        var all = new List<ProfileAvailability>();
        foreach (var profile in Profiles.Select(name => BackendProfile.Find(name) ?? new BackendProfile(name, "", "")))
        {
            try
            {
                all.Add(await ProbeAsync(profile, cancellationToken));
            }
            catch (BackendException exception)
            {
                all.Add(Absent(profile, exception.Message, $"correct or unset {BackendVariables.ProvisionName} and the variable of the server", []));
            }
        }

        return all;
    }

    /// <summary>A markdown table of every profile: whether it can be had, why, and what enables it.</summary>
    /// <param name="cancellationToken">Ends the wait for servers that are started to find out.</param>
    public async Task<string> DescribeProfilesAsync(CancellationToken cancellationToken)
    {
        var rows = (await ProbeAllAsync(cancellationToken)).Select(found =>
            $"| {found.Profile} | {(found.IsAvailable ? "yes" : "no")} | {found.Reason} | {(found.IsAvailable ? "–" : found.HowToEnable)} |");
        string[] head = ["| profile | available | why | what enables it |", "|---|---|---|---|"];
        return string.Join(Environment.NewLine, [.. head, .. rows]);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var slot in _slots.Values)
        {
            await slot.DisposeAsync();
        }

        _containers.Dispose();
    }

    private const string FullFeed = "build with -p:FullFeed=true";

    private static string AbsentFromBuild(string profile) => $"the backend of profile '{profile}' is not in this build";

    private static List<T> FindAll<T>()
        where T : class =>
        [
            .. typeof(BackendCatalog).Assembly.GetTypes().Where(type => !type.IsAbstract && type.IsSubclassOf(typeof(T))).Select(type =>
            {
                var constructor = type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
                    .Single(constructor => constructor.GetParameters().All(parameter => parameter.HasDefaultValue));
                return (T)constructor.Invoke([.. constructor.GetParameters().Select(parameter => parameter.DefaultValue)]);
            }),
        ];

    private Backend? Find(string profile) => _backends.FirstOrDefault(backend => string.Equals(backend.Name, profile.Trim(), StringComparison.OrdinalIgnoreCase));

    private static ProfileAvailability Absent(
        BackendProfile profile, string reason, string howToEnable, IReadOnlyList<ProvisionAttempt> attempts) =>
        new(profile, IsAvailable: false, reason, howToEnable, attempts);

    /// <summary>The server of a kind, or why there is none and what enables it; starts the server to find out.</summary>
    public async Task<(BackendServer? Server, string Refusal)> FindServerAsync(ServerKind kind, CancellationToken cancellationToken)
    {
        if (!_slots.TryGetValue(kind, out var slot))
        {
            return (null, $"this version has no adapter for {kind.Product}");
        }

        var (server, attempts) = await slot.GetAsync(cancellationToken);
        return (server, $"no {kind.Product} server can be had: {string.Join("; ", attempts)}. To enable it: {slot.Provider.HowToEnable}");
    }
}

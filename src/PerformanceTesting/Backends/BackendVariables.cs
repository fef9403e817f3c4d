namespace PerformanceTesting.Backends;

/// <summary>
/// The variables that choose backends, checked together. Not a record: it would print the connection string's password.
/// </summary>
public sealed class BackendVariables
{
    public const string ProfilesName = "WORKFLOW_PERF_PROFILES";
    public const string ProvisionName = "WORKFLOW_PERF_PROVISION";
    public const string RequireName = "WORKFLOW_PERF_REQUIRE";

    /// <summary>In <see cref="RequireName"/>: an engine for containers, and their images.</summary>
    public const string ContainersRequirement = "docker";

    private static readonly string[] ProvisionValues = ["auto", "external", "container", "native"];

    /// <summary>Names of the profiles to run; every one when the variable is not set.</summary>
    public IReadOnlyList<string> Profiles { get; init; } = BackendCatalog.KnownProfiles;

    /// <summary>Connection strings of servers that already run; none by default.</summary>
    public IReadOnlyDictionary<ServerKind, string> ConnectionStrings { get; init; } =
        new Dictionary<ServerKind, string>();

    /// <summary>Images that containers are started from instead of the usual ones; none by default.</summary>
    public IReadOnlyDictionary<ServerKind, string> Images { get; init; } = new Dictionary<ServerKind, string>();

    /// <summary>Where servers come from; <see cref="ProvisionMode.Auto"/> by default.</summary>
    public ProvisionMode Provision { get; init; } = ProvisionMode.Auto;

    /// <summary>Profiles whose absence fails instead of skipping; none by default.</summary>
    public IReadOnlyList<string> Require { get; init; } = [];

    /// <summary>Servers beside the profiles whose absence fails instead of skipping; none by default.</summary>
    public IReadOnlyList<ServerKind> RequireServers { get; init; } = [];

    /// <summary>
    /// Whether tests of containers fail, instead of skipping, without an engine or image. Default: false.
    /// </summary>
    public bool RequireContainers { get; init; }

    /// <summary>Reads and checks the variables.</summary>
    /// <param name="read">Gives a variable's value or null; the process environment when omitted.</param>
    /// <exception cref="BackendException">
    /// At least one value is unknown; all violations are listed, with the known values.
    /// </exception>
    public static BackendVariables FromEnvironment(Func<string, string?>? read = null)
    {
        read ??= Environment.GetEnvironmentVariable;
        var violations = new List<string>();
        var profiles = ReadProfiles(ProfilesName, Names(read(ProfilesName)), violations);
        var required = Names(read(RequireName)).Where(name => name != ContainersRequirement).ToList();
        var servers = required.Where(name => FindProfile(name) is null).Select(ServerKind.Find).OfType<ServerKind>()
            .Distinct().ToList();
        var require =
            ReadProfiles(RequireName, required.Where(name => !servers.Contains(ServerKind.Find(name)!)), violations);
        var provision = ReadProvision(read(ProvisionName), violations);
        var selected = profiles.Count == 0 ? BackendCatalog.KnownProfiles : profiles;
        foreach (var missing in require.Except(selected))
        {
            violations.Add($"{RequireName} names '{missing}', but {ProfilesName} leaves it out: add it there or drop the requirement.");
        }

        if (violations.Count > 0)
        {
            throw new BackendException(string.Join(Environment.NewLine, violations));
        }

        return new BackendVariables
        {
            Profiles = selected,
            ConnectionStrings = ReadOfKinds(kind => read(kind.Variable)),
            Images = ReadOfKinds(kind => read(kind.ImageVariable)),
            Provision = provision,
            Require = require,
            RequireServers = servers,
            RequireContainers = Names(read(RequireName)).Contains(ContainersRequirement),
        };
    }

    private static Dictionary<ServerKind, string> ReadOfKinds(Func<ServerKind, string?> read) =>
        ServerKind.All.Where(kind => !string.IsNullOrWhiteSpace(read(kind)))
            .ToDictionary(kind => kind, kind => read(kind)!.Trim());

    private static string[] Names(string? list) =>
        (list ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);

    private static string? FindProfile(string name) =>
        BackendCatalog.KnownProfiles
            .FirstOrDefault(profile => string.Equals(profile, name, StringComparison.OrdinalIgnoreCase));

    private static List<string> ReadProfiles(string variable, IEnumerable<string> names, List<string> violations)
    {
        var profiles = new List<string>();
        foreach (var name in names)
        {
            if (FindProfile(name) is not { } profile)
            {
                violations.Add($"{variable}: '{name}' is not a profile. Known: {string.Join(", ", BackendCatalog.KnownProfiles)}.");
            }
            else if (!profiles.Contains(profile))
            {
                profiles.Add(profile);
            }
        }

        return profiles;
    }

    private static ProvisionMode ReadProvision(string? value, List<string> violations)
    {
        var name = string.IsNullOrWhiteSpace(value) ? "auto" : value.Trim().ToLowerInvariant();
        var index = Array.IndexOf(ProvisionValues, name);
        if (index < 0)
        {
            violations.Add($"{ProvisionName}: '{value}' is unknown. Known: {string.Join(", ", ProvisionValues)}.");
            return ProvisionMode.Auto;
        }

        return (ProvisionMode)index;
    }
}

namespace PerformanceTesting.Backends;

/// <summary>A backend together with its signal driver; the prefix of every scenario's full name.</summary>
/// <param name="Name">As written in <c>WORKFLOW_PERF_PROFILES</c>, reports and file names.</param>
/// <param name="Backend">Value of <c>WorkflowBackend:Provider</c>: durable correctness.</param>
/// <param name="SignalDriver">Value of <c>WorkflowSignalDriver:Provider</c>: the wake mechanism, which owns no correctness.</param>
public sealed record BackendProfile(string Name, string Backend, string SignalDriver)
{
    public static BackendProfile Memory { get; } = new("memory", "Memory", "Native");

    public static BackendProfile Postgres { get; } = new("postgres", "Postgres", "Native");

    public static BackendProfile PostgresRedis { get; } = new("postgres-redis", "Postgres", "Redis");

    public static BackendProfile OracleAq { get; } = new("oracle-aq", "Oracle", "Native");

    public static BackendProfile OracleRedis { get; } = new("oracle-redis", "Oracle", "Redis");

    public static BackendProfile Mongo { get; } = new("mongo", "Mongo", "Native");

    public static BackendProfile MongoRedis { get; } = new("mongo-redis", "Mongo", "Redis");

    /// <summary>The kinds of server that it needs, the backend's first; none for what is embedded in the test process.</summary>
    public IReadOnlyList<ServerKind> Servers => [.. new[] { ServerKind.Find(Backend), ServerKind.Find(SignalDriver) }.OfType<ServerKind>()];

    public bool IsPostgres => Backend == Postgres.Backend;

    public bool IsOracle => Backend == OracleAq.Backend;

    public bool IsMongo => Backend == Mongo.Backend;

    /// <summary>Whether notifications go over Redis.</summary>
    public bool HintsOverRedis => SignalDriver == "Redis";

    /// <summary>Every profile that has a name, built or not.</summary>
    public static IReadOnlyList<BackendProfile> All { get; } = [Memory, Postgres, PostgresRedis, OracleAq, OracleRedis, Mongo, MongoRedis];

    /// <summary>The profile of that name, whatever its case; null when there is none.</summary>
    public static BackendProfile? Find(string name) =>
        All.FirstOrDefault(profile => string.Equals(profile.Name, name.Trim(), StringComparison.OrdinalIgnoreCase));

    /// <summary>The profile of that name.</summary>
    /// <exception cref="BackendException">There is none; the message lists those that exist.</exception>
    public static BackendProfile Parse(string name) =>
        Find(name) ?? throw new BackendException($"'{name}' is not a profile. Known: {KnownNames}.");

    public override string ToString() => Name;

    internal static string KnownNames => string.Join(", ", All.Select(profile => profile.Name));
}

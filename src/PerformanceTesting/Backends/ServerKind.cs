namespace PerformanceTesting.Backends;

/// <summary>
/// A kind of server that profiles and transports need; each is provisioned on its own, one per test process.
/// </summary>
/// <param name="Name">As in the names of its variables and in <c>WORKFLOW_PERF_REQUIRE</c>, lower case.</param>
/// <param name="Product">As in messages and reports.</param>
public sealed record ServerKind(string Name, string Product)
{
    public static ServerKind Postgres { get; } = new("postgres", "PostgreSQL");
    public static ServerKind Redis { get; } = new("redis", "Redis");
    public static ServerKind RabbitMq { get; } = new("rabbitmq", "RabbitMQ");
    public static ServerKind Oracle { get; } = new("oracle", "Oracle");
    public static ServerKind Mongo { get; } = new("mongo", "MongoDB");

    /// <summary>Every kind that has variables, in this build or not.</summary>
    public static IReadOnlyList<ServerKind> All { get; } = [Postgres, Redis, RabbitMq, Oracle, Mongo];

    /// <summary>The variable that holds the connection string of a server that already runs.</summary>
    public string Variable => $"WORKFLOW_PERF_{Name.ToUpperInvariant()}";

    /// <summary>The variable that overrides the container's image.</summary>
    public string ImageVariable => $"WORKFLOW_PERF_IMAGE_{Name.ToUpperInvariant()}";

    /// <summary>The kind of that name, whatever its case; null when there is none.</summary>
    public static ServerKind? Find(string name) =>
        All.FirstOrDefault(kind => string.Equals(kind.Name, name.Trim(), StringComparison.OrdinalIgnoreCase));

    public override string ToString() => Name;
}

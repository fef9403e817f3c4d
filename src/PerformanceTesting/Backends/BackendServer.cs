using Foundation;
using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>
/// A server of any kind, shared by the tests of one process. What an implementer must keep: no secret in <see cref="Description"/>, and
/// nothing left behind by <see cref="DisposeAsync"/> or by the end of this process.
/// </summary>
public abstract class BackendServer(ServerHost host) : IAsyncDisposable
{
    public abstract ServerKind Kind { get; }

    /// <summary>How a client reaches it, in the words of its driver, password included.</summary>
    public abstract string ConnectionString { get; }

    public ProvisionMode Provision => host.Provision;
    public string Description => host.Description;
    public int? ProcessId => host.ProcessId;
    public string? DirectoryPath => host.DirectoryPath;
    public IServerContainer? Container => host.Container;

    /// <summary>Version and settings as the server itself gives them, with the durability class.</summary>
    /// <exception cref="BackendException">The server cannot be reached.</exception>
    public abstract Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken);

    public Task<string> ReadLogTailAsync(CancellationToken cancellationToken) => host.ReadLogTailAsync(cancellationToken);
    public Task KillAsync(CancellationToken cancellationToken) => host.KillAsync(cancellationToken);
    public Task StartAgainAsync(CancellationToken cancellationToken) => host.StartAgainAsync(cancellationToken);
    public Task PauseAsync(CancellationToken cancellationToken) => host.PauseAsync(cancellationToken);
    public Task ContinueAsync(CancellationToken cancellationToken) => host.ContinueAsync(cancellationToken);

    public virtual ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return host.DisposeAsync();
    }

    /// <exception cref="BackendException">A server that was started here may lose what it acknowledged, by its settings.</exception>
    protected async Task RequireDurableAsync(string advice, CancellationToken cancellationToken)
    {
        var settings = await ReadSettingsAsync(cancellationToken);
        if (settings.Shortfalls.Count > 0)
        {
            throw new BackendException($"{Description} was configured durable but says it is {settings.Durability}{advice}.");
        }
    }
}

/// <summary>A kind of server that profiles and transports need; each is provisioned on its own, one per test process.</summary>
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

/// <summary>What a server says of itself, so that a result is never credited to settings that were only asked for.</summary>
/// <param name="Version">Server version, e.g. <c>15.18</c>.</param>
/// <param name="Settings">Name to value with unit, as the server gives it to the session that was asked.</param>
/// <param name="Shortfalls">
/// Settings that may lose acknowledged work when the power fails, e.g. <c>fsync=off</c>; none when the server is set to be durable.
/// </param>
public sealed record SettingsReadBack(string Version, IReadOnlyDictionary<string, string> Settings, IReadOnlyList<string> Shortfalls)
{
    /// <summary>The setting that holds the type of the file system that the server's data are on.</summary>
    public const string FileSystem = "file_system";

    /// <summary>The class of a server that loses nothing it acknowledged when the power fails.</summary>
    public const string Durable = "durable";

    /// <summary><see cref="Durable"/>, or <c>not durable: fsync=off</c> with every shortfall. Unlike classes are never ranked.</summary>
    public string Durability => IsDurable ? Durable : $"not durable: {string.Join(", ", AllShortfalls)}";

    public bool IsDurable => !AllShortfalls.Any();

    /// <summary>A server whose data are in memory is as little durable, whatever it is set to.</summary>
    private IEnumerable<string> AllShortfalls =>
        Settings.GetValueOrDefault(FileSystem) is { } type && FileSystems.IsInMemory(type)
            ? Shortfalls.Append($"data in memory ({type})")
            : Shortfalls;
}

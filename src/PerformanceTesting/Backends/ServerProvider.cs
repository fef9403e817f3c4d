using PerformanceTesting.Backends.Containers;
using PerformanceTesting.Backends.Mongo;
using PerformanceTesting.Backends.Oracle;

namespace PerformanceTesting.Backends;

/// <summary>
/// The ways to a server of one kind. To add a kind: derive from this, return servers that derive from <see cref="BackendServer"/>, and add a line to
/// <see cref="All"/>. A way that is not to be had on this machine is refused; one that is there and fails throws <see cref="BackendException"/>.
/// </summary>
public abstract class ServerProvider
{
    /// <summary>The kinds that can be provisioned.</summary>
    public static IReadOnlyList<ServerProvider> All { get; } =
        [new PostgresProvider(), new RedisProvider(), new RabbitMqProvider(), new OracleProvider(), new MongoProvider()];

    public abstract ServerKind Kind { get; }

    /// <summary>A command or variable that makes a server available, for a person to paste.</summary>
    public abstract string HowToEnable { get; }

    /// <summary>Connects once to a server that already runs, so that a wrong connection string is found before any test needs it.</summary>
    /// <param name="connectionString">As in <see cref="ServerKind.Variable"/>.</param>
    /// <param name="cancellationToken">Ends the wait; without it, a few seconds do.</param>
    /// <exception cref="BackendException">It cannot be parsed or nothing answers; names the target and the variable, never the password.</exception>
    public abstract Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>What containers are started from; null when this kind is not started in one.</summary>
    public virtual ContainerImage? Image => null;

    /// <summary>Whether this kind can ever be had in a way; where it cannot, choosing that way for the others is no error.</summary>
    public virtual bool Takes(ProvisionMode way) => way != ProvisionMode.Container || Image is not null;

    /// <summary>Starts a server in a container; called when <see cref="Image"/> is not null and was found.</summary>
    /// <param name="engine">Starts it.</param>
    /// <param name="image">An image that is there.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="BackendException">It does not start; the message holds the end of its log. Nothing is left behind.</exception>
    public virtual Task<BackendServer> StartContainerAsync(IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{GetType().Name} names the image {image} and does not start it.");

    /// <summary>Starts installed server programs in a private directory.</summary>
    public virtual Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        Task.FromResult(ProvisionOutcome.Refused($"{Kind.Product} is not started from installed programs"));
}

using PerformanceTesting.Backends.Containers;

namespace PerformanceTesting.Backends;

/// <summary>
/// Provides servers of one kind. To add a kind, derive from this class and add an instance to
/// <see cref="BackendCatalog"/>. A mode that this machine does not offer is refused; a mode that it offers and that
/// fails throws <see cref="BackendException"/>.
/// </summary>
public abstract class ServerProvider
{
    public abstract ServerKind Kind { get; }

    /// <summary>A command or variable that makes a server available, for a person to paste.</summary>
    public abstract string HowToEnable { get; }

    /// <summary>What containers are started from; null when this kind is not started in one.</summary>
    public virtual ContainerImage? Image => null;

    /// <summary>Why this build cannot talk to a server of this kind; null if it can.</summary>
    public virtual string? MissingDriver => null;

    /// <summary>
    /// Connects once to a server that already runs, so that a wrong connection string is found before any test needs
    /// it.
    /// </summary>
    /// <param name="connectionString">As in <see cref="ServerKind.Variable"/>.</param>
    /// <param name="cancellationToken">Ends the wait; without it, a few seconds do.</param>
    /// <exception cref="BackendException">
    /// It cannot be parsed or nothing answers; names the target and the variable, never the password.
    /// </exception>
    public abstract Task<BackendServer> ConnectAsync(string connectionString, CancellationToken cancellationToken);

    /// <summary>
    /// Whether a mode can provide this kind at all. If not, choosing that mode for other kinds is not an error.
    /// </summary>
    public virtual bool Supports(ProvisionMode mode) => mode != ProvisionMode.Container || Image is not null;

    /// <summary>Starts a server in a container; called when <see cref="Image"/> is not null and was found.</summary>
    /// <param name="engine">Starts it.</param>
    /// <param name="image">An image that is there, under the contract of the official one.</param>
    /// <exception cref="BackendException">
    /// It does not start; the message holds the end of its log. Nothing is left behind.
    /// </exception>
    public virtual Task<BackendServer> StartContainerAsync(
        IContainerEngine engine, string image, CancellationToken cancellationToken) =>
        throw new NotSupportedException($"{GetType().Name} names the image {image} and does not start it.");

    /// <summary>Starts installed server programs in a private directory.</summary>
    public virtual Task<ProvisionOutcome> StartNativeAsync(CancellationToken cancellationToken) =>
        Task.FromResult(ProvisionOutcome.Refused($"{Kind.Product} is not started from installed programs"));
}

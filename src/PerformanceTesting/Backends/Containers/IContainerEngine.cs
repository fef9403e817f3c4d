namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Starts servers in containers. An implementer removes what it started when the container is disposed of, labels it so
/// that a later run can find what a killed one left, and publishes ports on the loopback address of this machine
/// wherever the engine is on it.
/// </summary>
public interface IContainerEngine : IDisposable
{
    /// <summary>Product, version, address.</summary>
    string Description { get; }

    /// <summary>Finds, pulls or builds an image.</summary>
    /// <param name="mayTakeMinutes">
    /// Otherwise what is not there within half a minute is refused, with the command that gets it.
    /// </param>
    /// <returns>The reference to start containers from, or why there is none.</returns>
    Task<ImageOutcome> FindImageAsync(ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken);

    /// <summary>Creates and starts a container; what runs in it is not ready yet.</summary>
    /// <exception cref="BackendException">
    /// The engine refuses; the message holds its own words. Nothing is left behind.
    /// </exception>
    Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken);
}

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Starts servers in containers. An implementer removes what it started when the container is disposed of, labels it so that a later run can tell
/// what a killed one left, and publishes ports on the loopback address of this machine wherever the engine is on it.
/// </summary>
public interface IContainerEngine : IDisposable
{
    /// <summary>The engine in words: product, version, address.</summary>
    string Description { get; }

    /// <summary>Finds, pulls or builds an image.</summary>
    /// <param name="image">What is wanted.</param>
    /// <param name="isPatient">Whether it may take minutes; otherwise what is not there within half a minute is refused, with the command that gets it.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The reference to start containers from, or why there is none.</returns>
    Task<ImageOutcome> FindImageAsync(ContainerImage image, bool isPatient, CancellationToken cancellationToken);

    /// <summary>Creates and starts a container; what runs in it is not ready yet.</summary>
    /// <exception cref="BackendException">The engine refuses; the message holds its own words. Nothing is left behind.</exception>
    Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken);
}

using PerformanceTesting.Backends.Containers;

namespace IntegrationTests.Containers;

/// <summary>An engine that whoever is given it does not end.</summary>
internal sealed class BorrowedEngine(IContainerEngine engine) : IContainerEngine
{
    public string Description => engine.Description;

    public Task<ImageOutcome> FindImageAsync(ContainerImage image, bool isPatient, CancellationToken cancellationToken) =>
        engine.FindImageAsync(image, isPatient, cancellationToken);

    public Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken) => engine.StartAsync(request, cancellationToken);

    public void Dispose()
    {
        // Its owner does.
    }
}

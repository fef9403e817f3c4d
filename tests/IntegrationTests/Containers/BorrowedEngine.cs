namespace IntegrationTests.Containers;

/// <summary>An engine that belongs to the test: who borrows it does not end it.</summary>
internal sealed class BorrowedEngine(IContainerEngine engine) : IContainerEngine
{
    public string Description => engine.Description;

    public Task<ImageOutcome> FindImageAsync(
        ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken) =>
        engine.FindImageAsync(image, mayTakeMinutes, cancellationToken);

    public Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken) =>
        engine.StartAsync(request, cancellationToken);

    public void Dispose()
    {
        // Its owner does.
    }
}

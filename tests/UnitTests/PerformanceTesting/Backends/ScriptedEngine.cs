using PerformanceTesting.Backends.Containers;

namespace UnitTests.PerformanceTesting.Backends;

/// <summary>An engine that has every image and starts nothing; its one container runs at once.</summary>
internal sealed class ScriptedEngine : IContainerEngine, IServerContainer
{
    public ContainerRequest? Request { get; private set; }

    public int Disposals { get; private set; }

    public string Description => "a scripted engine";

    public string Id => "an-id";

    public string Name => "a-container";

    public string Host => "127.0.0.1";

    public Task<ImageOutcome> FindImageAsync(
        ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken) =>
        throw new NotSupportedException(image.Reference);

    public Task<IServerContainer> StartAsync(ContainerRequest request, CancellationToken cancellationToken)
    {
        Request = request;
        return Task.FromResult<IServerContainer>(this);
    }

    public int PortOf(int containerPort) =>
        Request!.Ports.Contains(containerPort)
            ? containerPort + 13_000
            : throw new ArgumentException($"{containerPort} is not published.", nameof(containerPort));

    public Task<string> ReadLogTailAsync(CancellationToken cancellationToken) => Task.FromResult("its log");

    public Task<ContainerState> ReadStateAsync(CancellationToken cancellationToken) =>
        Task.FromResult(new ContainerState(IsRunning: true, 0, 1, IsOutOfMemory: false));

    public Task<ContainerUsage?> ReadUsageAsync(CancellationToken cancellationToken) =>
        Task.FromResult<ContainerUsage?>(null);

    public Task KillAsync(CancellationToken cancellationToken) => throw new NotSupportedException("kill");

    public Task StartAgainAsync(CancellationToken cancellationToken) => throw new NotSupportedException("start again");

    public Task PauseAsync(CancellationToken cancellationToken) => throw new NotSupportedException("pause");

    public Task ResumeAsync(CancellationToken cancellationToken) => throw new NotSupportedException("resume");

    public void Dispose()
    {
        // The engine itself holds nothing.
    }

    public ValueTask DisposeAsync()
    {
        Disposals++;
        return ValueTask.CompletedTask;
    }
}

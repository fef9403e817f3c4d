using System.Diagnostics.CodeAnalysis;
using Docker.DotNet;
using Docker.DotNet.Models;

namespace IntegrationTests.Containers;

/// <summary>A separate engine. After every test it must hold none of the test's containers.</summary>
[Trait("Category", "Integration")]
public abstract class ContainerTests : IAsyncLifetime
{
    private DockerEngine? _engine;

    internal DockerEngine Engine =>
        _engine ?? throw new InvalidOperationException("The test has not been initialised.");

    public async ValueTask InitializeAsync()
    {
        try
        {
            _engine = await DockerEngine.ConnectAsync(DockerEndpoint.FromVariables(), choosePort: null, Cancel);
        }
        catch (BackendException exception)
        {
            Refuse(exception.Message);
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (_engine is not null)
        {
            var left = await _engine.ListOwnAsync(CancellationToken.None);
            _engine.Dispose();
            Assert.Empty(left);
        }
    }

    /// <summary>The image of a kind, or a skip with the command that gets it.</summary>
    protected async Task<string> ImageAsync(ServerKind kind)
    {
        var provider = BackendCatalog.KnownProviders().Single(provider => provider.Kind == kind);
        var found = await Engine.FindImageAsync(provider.Image!, mayTakeMinutes: false, Cancel);
        if (found.Reference is null)
        {
            Refuse(found.Refusal!);
        }

        return found.Reference;
    }

    /// <summary>The engine's description of a container of any owner; null when there is none.</summary>
    protected static async Task<ContainerInspectResponse?> InspectAsync(string id)
    {
        using var client = DockerEndpoint.FromVariables().GetDockerClientBuilder().Build();
        try
        {
            return await client.Containers.InspectContainerAsync(id, Cancel);
        }
        catch (DockerContainerNotFoundException)
        {
            return null;
        }
    }

    [DoesNotReturn]
    private static void Refuse(string reason)
    {
        Assert.SkipUnless(BackendVariables.FromEnvironment().RequireContainers, reason);
        throw new BackendException($"{BackendVariables.RequireName} demands "
            + $"{BackendVariables.ContainersRequirement}, but {reason}");
    }

    protected async Task<PostgresServer> StartPostgresAsync(long? memoryDataBytes = null) =>
        await PostgresServer.StartContainerAsync(
            Engine, await ImageAsync(ServerKind.Postgres), memoryDataBytes, Cancel);
}

using Docker.DotNet;
using Docker.DotNet.Models;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Images;
using Microsoft.Extensions.Logging.Abstractions;

namespace PerformanceTesting.Backends.Containers;

/// <summary>Images that are there, in a registry, or to be built.</summary>
internal sealed class DockerImages(DockerConnection docker)
{
    private static readonly TimeSpan QuickPull = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan LongPull = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan BuildTimeout = TimeSpan.FromMinutes(10);

    public async Task<ImageOutcome> FindAsync(
        ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken)
    {
        foreach (var reference in new[] { image.Reference, image.Local }.OfType<string>())
        {
            if (await HasAsync(reference, cancellationToken))
            {
                return new ImageOutcome(reference, null);
            }
        }

        if (!mayTakeMinutes && !image.IsPulledAutomatically)
        {
            return new ImageOutcome(null, $"image {image.Reference} is not here");
        }

        var refusal = await PullAsync(image.Reference, mayTakeMinutes ? LongPull : QuickPull, cancellationToken);
        if (refusal is null)
        {
            return new ImageOutcome(image.Reference, null);
        }

        refusal = $"image {image.Reference} is not here and cannot be pulled: {refusal}";
        if (image.Local is null)
        {
            return new ImageOutcome(null, refusal);
        }

        if (mayTakeMinutes && await BuildAsync(image, image.Local, cancellationToken) is var unbuilt)
        {
            return unbuilt is null
                ? new ImageOutcome(image.Local, null)
                : new ImageOutcome(null, $"{refusal}; nor can {image.Local} be built: {unbuilt}");
        }

        var folders = image.Folder[..image.Folder.LastIndexOf('/')];
        return new ImageOutcome(
            null, $"{refusal}. Run {folders}/build.sh {image.Kind}, or docker pull {image.Reference}");
    }

    private Task<bool> HasAsync(string reference, CancellationToken cancellationToken) => docker.AskAsync(
        $"inspect image {reference}",
        async client =>
        {
            try
            {
                await client.Images.InspectImageAsync(reference, cancellationToken);
                return true;
            }
            catch (DockerImageNotFoundException)
            {
                return false;
            }
        },
        cancellationToken);

    /// <summary>Pulls an image.</summary>
    /// <returns>Null when it is there now, else why not.</returns>
    private Task<string?> PullAsync(
        string reference, TimeSpan timeout, CancellationToken cancellationToken) => TryAsync(
        $"pull {reference}",
        async (client, token) =>
        {
            var messages = new ReceivedMessages<JSONMessage>();

            // The full name always has a tag: without one the engine would pull every tag.
            var parameters = new ImagesCreateParameters { FromImage = new DockerImage(reference).FullName };
            await client.Images.CreateImageAsync(parameters, new AuthConfig(), messages, token);
            return messages.All.Select(message => message.Error?.Message).FirstOrDefault(error => error is not null);
        },
        timeout,
        cancellationToken);

    /// <summary>Builds an image from its folder, on the base that <c>build.sh</c> leaves or the registry has.</summary>
    /// <returns>Null when it is there now, else why not.</returns>
    private async Task<string?> BuildAsync(ContainerImage image, string reference, CancellationToken cancellationToken)
    {
        var folder = Path.Combine(Checkout.Root, image.Folder);
        if (!Directory.Exists(folder))
        {
            return $"{folder} does not exist";
        }

        const string LocalBase = "workflow-perf/base:bookworm";
        var hasBase = await HasAsync(LocalBase, cancellationToken);
        var future = new ImageFromDockerfileBuilder()
            .WithDockerEndpoint(docker.Endpoint)
            .WithLogger(NullLogger.Instance)
            .WithName(reference)
            .WithDockerfileDirectory(folder)
            .WithBuildArgument("BASE", hasBase ? LocalBase : "debian:bookworm-slim")
            .WithCleanUp(false)
            .WithCreateParameterModifier(parameters => parameters.NetworkMode = "host")
            .Build();
        return await TryAsync(
            $"build {reference}",
            async (_, token) =>
            {
                try
                {
                    await future.CreateAsync(token);
                    return null;
                }
                catch (ImageBuildFailedException exception)
                {
                    return exception.Message;
                }
            },
            BuildTimeout,
            cancellationToken);
    }

    /// <summary>Carries out a long order.</summary>
    /// <returns>Null when it was carried out, else the engine's reason.</returns>
    private async Task<string?> TryAsync(
        string what,
        Func<IDockerClient, CancellationToken, Task<string?>> order,
        TimeSpan timeout,
        CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        try
        {
            return await docker.AskAsync(what, client => order(client, limit.Token), limit.Token);
        }
        catch (BackendException exception)
        {
            return exception.Message;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return string.Create(CultureInfo.InvariantCulture, $"not done within {timeout.TotalSeconds} s");
        }
    }
}

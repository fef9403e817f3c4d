using System.Formats.Tar;
using System.Net.Http.Headers;

namespace PerformanceTesting.Backends.Containers;

/// <summary>Images that are there, in a registry, or to be built.</summary>
internal sealed class DockerImages(DockerApi api)
{
    private static readonly TimeSpan QuickPull = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan LongPull = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan BuildTimeout = TimeSpan.FromMinutes(10);

    public async Task<ImageOutcome> FindAsync(ContainerImage image, bool mayTakeMinutes, CancellationToken cancellationToken)
    {
        foreach (var reference in new[] { image.Reference, image.Local }.OfType<string>())
        {
            if (await api.FindAsync($"/images/{reference}/json", cancellationToken) is not null)
            {
                return new ImageOutcome(reference, null);
            }
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

        return new ImageOutcome(
            null,
            $"{refusal}. Run {image.Folder[..image.Folder.LastIndexOf('/')]}/build.sh {image.Kind}, or docker pull {image.Reference}");
    }

    /// <summary>Pulls an image.</summary>
    /// <returns>Null when it is there now, else why not.</returns>
    private async Task<string?> PullAsync(string reference, TimeSpan timeout, CancellationToken cancellationToken)
    {
        // The last colon after the last slash separates the tag; without one the engine would pull every tag.
        var colon = reference.LastIndexOf(':');
        var (name, tag) = reference.Contains('@', StringComparison.Ordinal) ? (reference, "")
            : colon > reference.LastIndexOf('/') ? (reference[..colon], reference[(colon + 1)..]) : (reference, "latest");
        return await FollowAsync($"/images/create?fromImage={Uri.EscapeDataString(name)}&tag={tag}", null, timeout, cancellationToken);
    }

    /// <summary>Builds an image from its folder, on the base that <c>build.sh</c> leaves or the registry has.</summary>
    /// <returns>Null when it is there now, else why not.</returns>
    private async Task<string?> BuildAsync(ContainerImage image, string reference, CancellationToken cancellationToken)
    {
        var folder = Path.Combine(Checkout.Root, image.Folder);
        if (!Directory.Exists(folder))
        {
            return $"{folder} does not exist";
        }

        const string Base = "workflow-perf/base:bookworm";
        var hasBase = await api.FindAsync($"/images/{Base}/json", cancellationToken) is not null;
        var arguments = Uri.EscapeDataString(hasBase ? "{}" : """{"BASE":"debian:bookworm-slim"}""");
        using var archive = new MemoryStream();
        await TarFile.CreateFromDirectoryAsync(folder, archive, includeBaseDirectory: false, cancellationToken);
        using var content = new ByteArrayContent(archive.ToArray());
        content.Headers.ContentType = new MediaTypeHeaderValue("application/x-tar");
        return await FollowAsync(
            $"/build?t={Uri.EscapeDataString(reference)}&buildargs={arguments}&networkmode=host&rm=true&forcerm=true",
            content,
            BuildTimeout,
            cancellationToken);
    }

    /// <summary>Follows what the engine reports of a long order, a JSON object a line.</summary>
    /// <returns>Null when it was carried out, else the engine's reason.</returns>
    private async Task<string?> FollowAsync(string path, HttpContent? content, TimeSpan timeout, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(timeout);
        try
        {
            await using var stream = await api.StreamAsync(HttpMethod.Post, path, content, limit.Token);
            using var reader = new StreamReader(stream);
            while (await reader.ReadLineAsync(limit.Token) is { } line)
            {
                if (line.Length > 0 && JsonSerializer.Deserialize<JsonElement>(line).TryGetProperty("error", out var error))
                {
                    return error.GetString();
                }
            }

            return null;
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

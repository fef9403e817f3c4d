namespace PerformanceTesting.Backends.Containers;

/// <summary>The image that a kind of server is started from.</summary>
/// <param name="Kind">The kind of server in it, lower case.</param>
/// <param name="Reference">
/// The official image, pinned, e.g. <c>postgres:17.6</c>; or what the kind's variable names.
/// </param>
/// <param name="Local">
/// The image that <c>fixtures/containers/build.sh</c> builds instead; null if it builds none, or an image was named.
/// </param>
public sealed record ContainerImage(string Kind, string Reference, string? Local)
{
    /// <summary>
    /// Whether the image is pulled in the first seconds of a run. Default: true. If not, it is used only if it is
    /// present, or if containers or this image were asked for.
    /// </summary>
    public bool IsPulledAutomatically { get; init; } = true;

    /// <summary>Where its Dockerfile is, under the checkout's root.</summary>
    public string Folder => $"fixtures/containers/{Kind}";
}

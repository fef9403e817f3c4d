namespace PerformanceTesting.Backends.Containers;

/// <summary>The image that a kind of server is started from.</summary>
/// <param name="Kind">The kind of server in it, lower case.</param>
/// <param name="Reference">The official image, pinned, e.g. <c>postgres:17.6</c>; or what the kind's variable names.</param>
/// <param name="Local">
/// What <c>fixtures/containers/build.sh</c> makes in its stead; null when there is no such thing, or an image was named.
/// </param>
public sealed record ContainerImage(string Kind, string Reference, string? Local)
{
    /// <summary>
    /// Whether the image is pulled without being asked for, in the first seconds of a run; true by default. If not, it is used only when it is
    /// here already, or when containers or this image were asked for.
    /// </summary>
    public bool IsPulledUnasked { get; init; } = true;

    /// <summary>Where its Dockerfile is, under the checkout's root.</summary>
    public string Folder => $"fixtures/containers/{Kind}";
}

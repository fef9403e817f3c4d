namespace LoadTesting.Core.Catalogue;

/// <summary>The part of a load that a run drives, against a running service.</summary>
/// <param name="Part">The part.</param>
/// <param name="Services">The addresses of the service's processes; at least one.</param>
public sealed record CataloguePart(LoadPart Part, IReadOnlyList<Uri> Services)
{
    /// <summary>The environment variable that holds <see cref="Key"/>.</summary>
    public const string KeyVariable = "WORKFLOW_PERF_KEY";

    /// <summary>The key that the service requires of requests; null (the default) for none.</summary>
    public string? Key { get; init; }

    /// <summary>
    /// Start of the load on the service's clock; null (the default) to start as soon as the part is prepared.
    /// </summary>
    public DateTimeOffset? StartAt { get; init; }
}

using LoadTesting.Core.Load;

namespace LoadTesting.Core.Catalogue;

/// <summary>The part of a load that a run drives, on a service that somebody else has started.</summary>
/// <param name="Part">Which part.</param>
/// <param name="Services">Where each process of the service listens; at least one.</param>
public sealed record CataloguePart(LoadPart Part, IReadOnlyList<Uri> Services)
{
    /// <summary>The environment variable that holds <see cref="Key"/>.</summary>
    public const string KeyVariable = "WORKFLOW_PERF_KEY";

    /// <summary>What the service asks requests for; null, the default: for nothing.</summary>
    public string? Key { get; init; }

    /// <summary>When the load begins, by the service's clock; null, the default: as soon as the part is prepared.</summary>
    public DateTimeOffset? StartAt { get; init; }
}

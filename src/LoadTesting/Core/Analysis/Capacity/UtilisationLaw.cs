using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// The utilisation law, U = X D (Denning and Buzen, "The Operational Analysis of Queueing Network Models", 1978): a resource of m servers that an operation
/// needs for D seconds carries at most m / D operations a second.
/// </summary>
public static class UtilisationLaw
{
    /// <summary>A limit this much below the tightest bound is none of the resources that were measured.</summary>
    public const double GreatestGap = 0.3;

    /// <summary>Bounds from the demands of a rung, the tightest first. Take a rung near the limit: what is shared, as a commit is, gets cheaper with load.</summary>
    public static IReadOnlyList<BoundResult> Bounds(RungResult rung)
    {
        ArgumentNullException.ThrowIfNull(rung);
        return
        [
            .. rung.Demands.Where(demand => demand.SecondsPerOperation > 0)
                .Select(demand => new BoundResult(
                    demand.Resource,
                    demand.SecondsPerOperation,
                    demand.Servers,
                    rung.ThroughputPerSecond * demand.SecondsPerOperation / demand.Servers,
                    demand.Servers / demand.SecondsPerOperation))
                .OrderBy(bound => bound.PerSecond),
        ];
    }

    /// <summary>What limits a measured throughput, and what would be next; nulls without bounds.</summary>
    /// <param name="bounds">As <see cref="Bounds"/> gives them.</param>
    /// <param name="limitPerSecond">What was measured.</param>
    /// <param name="isSaturated">Whether the system fell behind there; else it carried the load, and only its latency was too long.</param>
    /// <param name="waits">What the backend waited for, the greatest first: named where no resource explains the limit.</param>
    public static (string? BoundBy, string? Next) Attribute(
        IReadOnlyList<BoundResult> bounds, double limitPerSecond, bool isSaturated, IReadOnlyList<WaitResult> waits)
    {
        ArgumentNullException.ThrowIfNull(bounds);
        ArgumentNullException.ThrowIfNull(waits);
        if (bounds.Count == 0)
        {
            return (null, null);
        }

        if (bounds[0].PerSecond * (1 - GreatestGap) > limitPerSecond)
        {
            var wait = waits.FirstOrDefault(wait => wait.Name != "CPU");
            var what = isSaturated ? "a lock or another serialisation, no measured resource" : "latency, before any measured resource is full";
            return (wait is null ? what : $"{what} (largest wait {wait.Name})", bounds[0].Resource);
        }

        return (bounds[0].Resource, bounds.ElementAtOrDefault(1)?.Resource);
    }
}

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// The utilisation law, U = X D (Denning and Buzen, "The Operational Analysis of Queueing Network Models", 1978): a
/// resource of m servers that an operation needs for D seconds carries at most m / D operations a second.
/// </summary>
public static class UtilisationLaw
{
    /// <summary>A limit this far below the tightest bound is not explained by a measured resource.</summary>
    public const double MaxGap = 0.3;

    /// <summary>
    /// Bounds from the demands of a load step, the tightest first. Use a load step near the limit: shared work, such as
    /// a commit, gets cheaper under load.
    /// </summary>
    public static IReadOnlyList<BoundResult> Bounds(LoadStepResult step)
    {
        return
        [
            .. step.Demands.Where(demand => demand.SecondsPerOperation > 0)
                .Select(demand => new BoundResult(
                    demand.Resource,
                    demand.SecondsPerOperation,
                    demand.Servers,
                    step.ThroughputPerSecond * demand.SecondsPerOperation / demand.Servers,
                    demand.Servers / demand.SecondsPerOperation))
                .OrderBy(bound => bound.PerSecond),
        ];
    }

    /// <summary>The resource that limits a measured throughput, and the next one; nulls without bounds.</summary>
    /// <param name="bounds">As <see cref="Bounds"/> gives them.</param>
    /// <param name="limitPerSecond">What was measured.</param>
    /// <param name="isSaturated">Whether the system fell behind there; else it carried the load, and only its latency
    /// was too long.</param>
    /// <param name="waits">What the backend waited for, the greatest first: named where no resource explains the
    /// limit.</param>
    public static (string? BoundBy, string? Next) Attribute(
        IReadOnlyList<BoundResult> bounds, double limitPerSecond, bool isSaturated, IReadOnlyList<WaitResult> waits)
    {
        if (bounds.Count == 0)
        {
            return (null, null);
        }

        if (bounds[0].PerSecond * (1 - MaxGap) > limitPerSecond)
        {
            var wait = waits.FirstOrDefault(wait => wait.Name != "CPU");
            var what = isSaturated
                ? "a lock or another serialisation, no measured resource"
                : "latency, before any measured resource is full";
            return (wait is null ? what : $"{what} (largest wait {wait.Name})", bounds[0].Resource);
        }

        return (bounds[0].Resource, bounds.ElementAtOrDefault(1)?.Resource);
    }
}

namespace LoadTesting.Core.Load.Watches;

/// <summary>A resource that is sampled during a soak.</summary>
/// <param name="Name">Name in camel case, e.g. <c>workingSet</c>.</param>
/// <param name="Unit">Unit of the values, e.g. <c>bytes</c>.</param>
/// <param name="Floor">Growth over the whole soak that is always allowed, in the unit: the resource's usual
/// fluctuation.</param>
/// <param name="ReadAsync">Reads the value; returns null if there is none at the moment.</param>
public sealed record LeakProbe(
    string Name, string Unit, double Floor, Func<CancellationToken, ValueTask<double?>> ReadAsync)
{
    /// <summary>
    /// Whether the lowest value of a window counts instead of its median: for memory, to exclude garbage that is not
    /// collected yet.
    /// </summary>
    public bool TakesMinimum { get; init; }

    /// <summary>
    /// Whether it measures constant work and is not a resource. If it grows, the machine has become slower, which may
    /// explain other growth.
    /// </summary>
    public bool IsReference { get; init; }
}

namespace LoadTesting.Core.Load.Watches;

/// <summary>A resource that is looked at while a soak runs.</summary>
/// <param name="Name">Name in camel case, e.g. <c>workingSet</c>.</param>
/// <param name="Unit">Unit of the values, e.g. <c>bytes</c>.</param>
/// <param name="Floor">Growth over the whole soak that is never held against it, in the unit; what the resource fluctuates by.</param>
/// <param name="ReadAsync">Reads it; null where there is nothing to read at the moment.</param>
public sealed record LeakProbe(string Name, string Unit, double Floor, Func<CancellationToken, ValueTask<double?>> ReadAsync)
{
    /// <summary>
    /// Whether the lowest value of a window counts instead of its median: for memory, of which garbage that is not collected yet is no part.
    /// </summary>
    public bool TakesMinimum { get; init; }

    /// <summary>Whether growth is the system's fault; else it says that the measurement drifted. Default true.</summary>
    public bool IsOfSystem { get; init; } = true;
}

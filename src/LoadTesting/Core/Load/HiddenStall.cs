using System.Globalization;

namespace LoadTesting.Core.Load;

/// <summary>
/// A stall that a closed model hides: nobody asked while nothing was answered, so the few iterations caught in it vanish from the
/// percentiles (coordinated omission).
/// </summary>
/// <param name="Stalls">How many gaps without a completion there were.</param>
/// <param name="Total">How long they lasted together.</param>
/// <param name="Longest">The longest.</param>
/// <param name="TimeShare">Their share of the run, 0 to 1.</param>
/// <param name="IterationsThatSawIt">Iterations that were in flight during them.</param>
/// <param name="IterationsExpected">Iterations that would have met them at the pace outside them.</param>
/// <param name="Iterations">Iterations that ended in all.</param>
public sealed record HiddenStall(
    int Stalls, TimeSpan Total, TimeSpan Longest, double TimeShare, long IterationsThatSawIt, long IterationsExpected, long Iterations)
{
    /// <summary>The finding in one sentence.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"closed model hides it: {Total.TotalSeconds:0.00} s stall ({100 * TimeShare:0.#} % of the run) seen by only {IterationsThatSawIt} of {Iterations} iterations; at the pace outside it {IterationsExpected} would have met it");
}

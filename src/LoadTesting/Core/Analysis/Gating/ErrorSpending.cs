using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// One-sided levels of several looks at one growing sum, such that the error over all looks is spent as planned.
/// Source: Lan and DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70 (1983); the recursion is
/// that of Armitage, McPherson and Rowe, Repeated significance tests on accumulating data, JRSS A 132 (1969).
/// </summary>
internal static class ErrorSpending
{
    // In standard deviations: finer steps change no level by a hundredth of itself, and beyond six there is nothing.
    private const double Step = 0.04;
    private const double Far = 6;

    /// <param name="looks">Sample sizes at the looks, ascending.</param>
    /// <param name="spent">Error that may be spent up to a sample size, at most; it never falls.</param>
    /// <returns>The level of each look.</returns>
    public static IReadOnlyList<double> Levels(IReadOnlyList<int> looks, Func<int, double> spent)
    {
        var levels = new List<double>();
        var (before, last) = (0.0, 0);
        (double At, double Weight)[] paths = [(0, 1)];
        foreach (var look in looks)
        {
            var (step, deviation) = (Math.Sqrt(look - last), Math.Sqrt(look));
            var boundary = Boundary(paths, step, deviation, spent(look) - before);
            levels.Add(1 - Normal.CDF(0, deviation, boundary));
            paths = Below(paths, step, deviation, boundary);
            (before, last) = (spent(look), look);
        }

        return levels;
    }

    /// <summary>Where paths that were below all boundaries so far are above this one with that probability.</summary>
    private static double Boundary(
        (double At, double Weight)[] paths, double step, double deviation, double probability)
    {
        var (low, high) = (0.0, 2 * Far * deviation);
        for (var halving = 0; halving < 50; halving++)
        {
            var middle = (low + high) / 2;
            var above = paths.Sum(path => path.Weight * Normal.CDF(0, step, path.At - middle));
            (low, high) = above > probability ? (middle, high) : (low, middle);
        }

        return (low + high) / 2;
    }

    /// <summary>The paths that are still below, by where they are now.</summary>
    private static (double At, double Weight)[] Below(
        (double At, double Weight)[] paths, double step, double deviation, double boundary)
    {
        var from = -Far * deviation;
        var count = (int)Math.Ceiling((boundary - from) / (Step * deviation));
        var width = (boundary - from) / count;
        return
        [
            .. Enumerable.Range(0, count).Select(index => from + ((index + 0.5) * width)).Select(at =>
                (at, width * paths.Sum(path => path.Weight * Normal.PDF(path.At, step, at)))),
        ];
    }
}

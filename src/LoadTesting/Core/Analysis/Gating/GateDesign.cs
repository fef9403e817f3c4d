using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// The looks at recorded pairs and the level of each. The error of a sequential design is spent over its looks; that
/// over all of them it stays below 1 % at the margin, and below 0.5 % without a change, is simulated by a unit test.
/// </summary>
public sealed record GateDesign
{
    /// <summary>Most pairs that a sequential recording may take.</summary>
    public const int MaxPairs = 200;

    private const int LateLookEvery = 20;

    /// <summary>
    /// What both designs allow at the first look: all of ten pairs are worse by more than the margin.
    /// </summary>
    private const double AllOfTen = 0.001;

    private static readonly int[] EarlyLooks = [10, 15, 20, 30, 40];
    private static readonly ConcurrentDictionary<int, GateDesign> Known = new();

    private GateDesign()
    {
    }

    /// <summary>One look, after a fixed number of pairs.</summary>
    public static GateDesign Fixed { get; } = new() { Steps = [new GateLook(0, 0.01, AllOfTen, 0.05, IsSequential: false)] };

    /// <summary>
    /// Pairs at which a sequential recording is looked at and may end; empty for the fixed design. From 40 on every 20.
    /// </summary>
    public IReadOnlyList<int> Looks { get; private init; } = [];

    public bool IsSequential => Looks.Count > 0;

    private IReadOnlyList<GateLook> Steps { get; init; } = [];

    /// <summary>
    /// Records pairs until the decision is clear, at most <paramref name="maxPairs"/>. The error of the first look is
    /// what ten pairs can give; the rest grows with the square of the pairs, because the last looks need most of it.
    /// </summary>
    /// <param name="maxPairs">10 to <see cref="MaxPairs"/>: 200 pairs are an hour.</param>
    public static GateDesign Sequential(int maxPairs)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxPairs, EarlyLooks[0]);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(maxPairs, MaxPairs);
        return Known.GetOrAdd(maxPairs, Create);
    }

    /// <summary>
    /// The levels after a number of pairs, including vetoed ones; between two looks those of the earlier look.
    /// </summary>
    internal GateLook At(int pairs) => Steps.LastOrDefault(look => look.Pairs <= pairs) ?? Steps[0];

    /// <param name="maxPairs">As for <see cref="Sequential"/>; null for the fixed design.</param>
    public static GateDesign Of(int? maxPairs) => maxPairs is { } most ? Sequential(most) : Fixed;

    private static GateDesign Create(int maxPairs)
    {
        var late = Enumerable.Range(1, MaxPairs / LateLookEvery).Select(index => EarlyLooks[^1] + (LateLookEvery * index));
        int[] looks = [.. EarlyLooks.Concat(late).Where(look => look < maxPairs), maxPairs];

        // Below the 1 % and 0.5 % that are allowed: signed ranks of few pairs are no Brownian motion.
        var (regression, noisy) = (Levels(looks, 0.009), Levels(looks, 0.0035));
        return new GateDesign
        {
            Looks = looks,
            Steps = [.. looks.Select((pairs, index) => new GateLook(pairs, regression[index], noisy[index], 0.01, IsSequential: true))],
        };
    }

    private static IReadOnlyList<double> Levels(int[] looks, double error) => ErrorSpending.Levels(looks, pairs =>
        looks.Length == 1
            ? error
            : AllOfTen + ((error - AllOfTen) * Math.Pow((double)(pairs - looks[0]) / (looks[^1] - looks[0]), 2)));
}

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
    private static double Boundary((double At, double Weight)[] paths, double step, double deviation, double probability)
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
    private static (double At, double Weight)[] Below((double At, double Weight)[] paths, double step, double deviation, double boundary)
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

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
    public static GateDesign Fixed { get; } =
        new() { Steps = [new GateLook(0, 0.01, AllOfTen, 0.05, IsSequential: false)] };

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
        var late =
            Enumerable.Range(1, MaxPairs / LateLookEvery).Select(index => EarlyLooks[^1] + (LateLookEvery * index));
        int[] looks = [.. EarlyLooks.Concat(late).Where(look => look < maxPairs), maxPairs];

        // Below the 1 % and 0.5 % that are allowed: signed ranks of few pairs are no Brownian motion.
        var (regression, noisy) = (Levels(looks, 0.009), Levels(looks, 0.0035));
        return new GateDesign
        {
            Looks = looks,
            Steps = [
                .. looks.Select(
                    (pairs, index) => new GateLook(pairs, regression[index], noisy[index], 0.01, IsSequential: true))],
        };
    }

    private static IReadOnlyList<double> Levels(int[] looks, double error) => ErrorSpending.Levels(looks, pairs =>
        looks.Length == 1
            ? error
            : AllOfTen + ((error - AllOfTen) * Math.Pow((double)(pairs - looks[0]) / (looks[^1] - looks[0]), 2)));
}

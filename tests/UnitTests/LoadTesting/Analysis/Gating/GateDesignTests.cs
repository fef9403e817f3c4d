using LoadTesting.Core.Analysis.Gating;

namespace UnitTests.LoadTesting.Analysis.Gating;

/// <summary>How often a decision that looks several times is wrong.</summary>
public sealed class GateDesignTests
{
    /// <summary>
    /// Looking often must not add up to false alarms: at the margin itself at most 1 % of the decisions regress over
    /// all looks, and without a change at most 0.5 %, whatever the noise.
    /// </summary>
    [Theory]
    [InlineData(0.02, 80)]
    [InlineData(0.1, 40)]
    [InlineData(0.3, 60)]
    [InlineData(0.45, 40)]
    [InlineData(1.0, 80)]
    [Trait("Category", "Daily")]
    public void Error_of_a_sequential_decision_over_all_its_looks_is_bounded(double deviation, int mostPairs) =>
        AssertErrorIsBounded(deviation, mostPairs, trials: 3000);

    [Theory]
    [InlineData(0.1, 40)]
    [InlineData(0.3, 60)]
    public void Error_of_few_sequential_decisions_is_bounded(double deviation, int mostPairs) =>
        AssertErrorIsBounded(deviation, mostPairs, trials: 200);

    /// <summary>
    /// A machine on which the two runs in the middle of four are like each other, and unlike the outer two. In ABBA and
    /// BAAB both pairs of the four are wrong together: with those, one decision in forty is.
    /// </summary>
    [Theory]
    [InlineData(200)]
    [InlineData(2000, Traits = ["Category", "Daily"])]
    public void Period_of_the_machine_gives_no_more_false_alarms_than_chance(int trials)
    {
        var alarms = Enumerable.Range(1, trials).Count(seed => IsAlarm(
            GateDesign.Sequential(40), PairOrder.CandidateFirst(seed).Take(40).Select((candidateFirst, index) =>
                (candidateFirst == (index % 2 == 0) ? 1.3 : 1 / 1.3) - 1)));

        Assert.InRange(alarms, 0, (0.005 * trials) + (2 * Math.Sqrt(0.005 * trials)));
    }

    [Fact]
    public void Most_of_the_error_is_left_for_the_last_look()
    {
        var design = GateDesign.Sequential(40);
        var levels = design.Looks.Select(pairs => design.At(pairs).RegressionLevel).ToList();

        Assert.Equal(0.001, levels[0], 5);
        Assert.InRange(levels.Sum(), 0.009, 0.0135);
        Assert.InRange(levels[^1], 0.006, 0.007);
        Assert.All(design.Looks,
            pairs => Assert.InRange(design.At(pairs).NoisyLevel, 0, design.At(pairs).RegressionLevel + 1e-9));
        Assert.Equal((design.At(20), design.At(10)), (design.At(29), design.At(3)));
        Assert.Equal(0.009, GateDesign.Sequential(10).At(10).RegressionLevel, 5);
    }

    private static void AssertErrorIsBounded(double deviation, int mostPairs, int trials)
    {
        var (atMargin, unchanged) = (Alarms(new Random(7), 0.02), Alarms(new Random(8), 0));

        Assert.InRange(atMargin, 0, (0.01 * trials) + (2 * Math.Sqrt(0.01 * trials)));
        Assert.InRange(unchanged, 0, (0.005 * trials) + (2 * Math.Sqrt(0.005 * trials)));

        int Alarms(Random random, double change) => Enumerable.Range(0, trials).Count(_ => IsAlarm(
            GateDesign.Sequential(mostPairs), Enumerable.Range(0, mostPairs).Select(_ =>
                Math.Exp(deviation * MathNet.Numerics.Distributions.Normal.Sample(random, 0, 1)) * (1 + change) - 1)));
    }

    /// <summary>Whether any look at one metric says that it has regressed: the error is that of a metric.</summary>
    private static bool IsAlarm(GateDesign design, IEnumerable<double> slower)
    {
        var pairs = Sides.Slower([.. slower])
            .Select(pair => pair with { Base = Only(pair.Base!), Candidate = Only(pair.Candidate!) }).ToList();
        return design.Looks.Any(look =>
            PairJudge.Judge(Sides.FullSize, [.. pairs.Take(look)], design: design).Verdict == GateVerdict.Regressed);

        static GateSide Only(GateSide side) =>
            new() { Operations = side.Operations, N = 1, ThroughputPerSecond = side.ThroughputPerSecond };
    }
}

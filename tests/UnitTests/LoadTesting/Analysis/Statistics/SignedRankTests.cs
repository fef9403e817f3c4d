using LoadTesting.Core.Analysis.Statistics;

namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class SignedRankTests
{
    // Published one-sided table of the signed-rank statistic, with its exact probabilities.
    [Theory]
    [InlineData(10, 0.01, 5, 0.0098)]
    [InlineData(8, 0.01, 1, 0.0078)]
    [InlineData(7, 0.01, 0, 0.0078)]
    [InlineData(10, 0.05, 10, 0.0420)]
    [InlineData(15, 0.05, 30, 0.0473)]
    [InlineData(10, 0.001, 0, 0.00098)]
    public void Critical_value_and_its_probability_are_those_of_the_table(int pairs, double level, int critical, double probability)
    {
        Assert.Equal(critical, SignedRank.Critical(pairs, level));
        Assert.Equal(probability, SignedRank.CumulativeProbability(pairs, critical), 4);
    }

    [Theory]
    [InlineData(6, 0.01, 0.015625)]
    [InlineData(9, 0.001, 0.001953125)]
    public void Level_that_so_few_pairs_cannot_reach_has_no_critical_value(int pairs, double level, double smallest)
    {
        Assert.Null(SignedRank.Critical(pairs, level));
        Assert.Equal(smallest, SignedRank.CumulativeProbability(pairs, 0), 12);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [InlineData(11)]
    public void Distribution_agrees_with_counting_all_signs(int pairs)
    {
        var sums = Enumerable.Range(0, 1 << pairs)
            .Select(signs => Enumerable.Range(1, pairs).Where(rank => (signs & (1 << (rank - 1))) != 0).Sum()).ToList();
        for (var t = -1; t <= pairs * (pairs + 1) / 2; t++)
        {
            Assert.Equal(sums.Count(sum => sum <= t) / (double)sums.Count, SignedRank.CumulativeProbability(pairs, t), 12);
        }
    }

    [Theory]
    [InlineData(0, 0.01)]
    [InlineData(1001, 0.01)]
    [InlineData(10, 0)]
    [InlineData(10, 1)]
    public void Arguments_outside_their_range_are_refused(int pairs, double level) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => SignedRank.Critical(pairs, level));
}

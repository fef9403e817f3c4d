namespace UnitTests.LoadTesting.Analysis.Statistics;

public sealed class UniversalScalabilityTests
{
    private static readonly double[] Steps = [1, 2, 4, 8, 16, 32, 64];

    [Theory]
    [InlineData(1_000, 0.02, 0.0005)]
    [InlineData(50, 0.2, 0.01)]
    [InlineData(3, 0, 0.002)]
    [InlineData(700, 0.1, 0)]
    [InlineData(700, 0, 0)]
    public void Points_on_a_curve_give_that_curve(double lambda, double sigma, double kappa)
    {
        var truth = new ScalabilityFit(lambda, sigma, kappa, 0);

        var fit = UniversalScalability.Fit([.. Steps.Select(n => (n, truth.ThroughputAt(n)))]);

        Assert.Equal(lambda, fit.Lambda, lambda * 1e-6);
        Assert.Equal(sigma, fit.Sigma, 1e-6);
        Assert.Equal(kappa, fit.Kappa, 1e-8);
        Assert.InRange(fit.Noise, 0, 1e-6);
    }

    /// <summary>
    /// With 1 % noise on seven load steps, N* is known to within -3..+4 % from the 5th to the 95th percentile, with 3 % to within -9..+12
    /// %.
    /// </summary>
    [Theory]
    [InlineData(0.01, -0.04, 0.05)]
    [InlineData(0.03, -0.11, 0.14)]
    public void Noisy_load_steps_give_the_maximum_to_within_the_known_error(double noise, double low, double high)
    {
        var truth = new ScalabilityFit(1_000, 0.02, 0.0005, 0);
        var random = new Random(7);

        var errors = Enumerable.Range(0, 400)
            .Select(_ => UniversalScalability.Fit([.. Steps.Select(n => (n, truth.ThroughputAt(n) * Math.Exp(noise * Normal(random))))]))
            .Select(fit => (fit.PeakConcurrency / truth.PeakConcurrency) - 1 ?? double.PositiveInfinity)
            .Order().ToArray();

        Assert.InRange(errors[20], low, 0);
        Assert.InRange(errors[379], 0, high);
    }

    [Fact]
    public void Throughput_that_rises_more_than_linearly_gives_no_negative_parameter()
    {
        var fit = UniversalScalability.Fit([(1, 100), (2, 220), (4, 480), (8, 1_000), (16, 2_200)]);

        Assert.Equal((0d, 0d), (fit.Sigma, fit.Kappa));
        Assert.Null(fit.PeakConcurrency);
    }

    [Theory]
    [InlineData(0, 5)]
    [InlineData(4, 0)]
    [InlineData(4, -1)]
    [InlineData(4, double.NaN)]
    [InlineData(double.PositiveInfinity, 5)]
    public void Point_that_cannot_be_is_named(double concurrency, double throughput)
    {
        var error = Assert.Throws<ArgumentException>(() =>
            UniversalScalability.Fit([(1, 1), (2, 2), (3, 3), (concurrency, throughput), (5, 5)]));

        Assert.Contains($"(N {concurrency}, X {throughput})", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Three_concurrencies_are_too_few()
    {
        var error = Assert.Throws<ArgumentException>(() => UniversalScalability.Fit([(1, 1), (2, 2), (2, 2.1), (3, 3), (3, 3.1)]));

        Assert.Contains("3 different concurrencies", error.Message, StringComparison.Ordinal);
    }

    private static double Normal(Random random) => MathNet.Numerics.Distributions.Normal.Sample(random, 0, 1);
}

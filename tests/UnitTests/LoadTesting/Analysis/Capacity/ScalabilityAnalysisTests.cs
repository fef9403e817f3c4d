using LoadTesting.Core.Analysis.Capacity;
using MathNet.Numerics.Distributions;

namespace UnitTests.LoadTesting.Analysis.Capacity;

public sealed class ScalabilityAnalysisTests
{
    private static readonly double[] Steps = [1, 2, 4, 8, 16, 32, 64];
    private static readonly ScalabilityFit Retrograde = new(1_000, 0.02, 0.0005, 0);

    [Fact]
    [Trait("Category", "Extended")]
    public void Interval_of_resampled_repetitions_holds_the_true_maximum_mostly()
    {
        var held = Enumerable.Range(0, 40)
            .Select(seed => ScalabilityAnalysis.Of(Ladder(Retrograde, noise: 0.02, repetitions: 5, seed), seed))
            .Count(result => result.PeakConcurrencyInterval is { } interval && interval.Low <= Retrograde.PeakConcurrency
                && Retrograde.PeakConcurrency <= interval.High);

        Assert.InRange(held, 30, 40);
    }

    [Fact]
    public void Maximum_is_reported_with_its_throughput_and_intervals()
    {
        var result = ScalabilityAnalysis.Of(Ladder(Retrograde, noise: 0.01, repetitions: 3, seed: 5));

        Assert.Equal(Retrograde.PeakConcurrency!.Value, result.PeakConcurrency!.Value, 3.0);
        Assert.Equal(Retrograde.ThroughputAt(44), result.PeakPerSecond!.Value, 800.0);
        Assert.InRange(result.PeakPerSecond.Value, result.PeakPerSecondInterval!.Low, result.PeakPerSecondInterval.High);
        Assert.Contains("repetitions", Assert.Single(result.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Ladder_that_was_not_repeated_resamples_residuals_and_says_so()
    {
        var result = ScalabilityAnalysis.Of(Ladder(Retrograde, noise: 0.01, repetitions: 1, seed: 5));

        Assert.NotNull(result.PeakConcurrencyInterval);
        Assert.Contains("residuals", Assert.Single(result.Notes), StringComparison.Ordinal);
    }

    [Fact]
    public void Throughput_without_a_fall_has_no_maximum()
    {
        var result = ScalabilityAnalysis.Of(Ladder(new ScalabilityFit(1_000, 0.05, 0, 0), noise: 0.01, repetitions: 3, seed: 2));

        Assert.Null(result.PeakConcurrency);
        Assert.NotNull(result.Lambda);
        Assert.Contains("no retrograde region", result.Notes[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Much_noise_withholds_the_maximum()
    {
        var result = ScalabilityAnalysis.Of(Ladder(Retrograde, noise: 0.06, repetitions: 6, seed: 2));

        Assert.Null(result.PeakConcurrency);
        Assert.Matches("scatter by [0-9.]+ %", result.Notes[0]);
    }

    [Fact]
    public void Maximum_more_than_twice_the_highest_load_step_is_withheld()
    {
        var far = new ScalabilityFit(1_000, 0.02, 0.00002, 0);

        var result = ScalabilityAnalysis.Of(Ladder(far, noise: 0.0005, repetitions: 3, seed: 2));

        Assert.Null(result.PeakConcurrency);
        Assert.Contains("more than twice the highest load step of 64", result.Notes[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Six_load_steps_are_too_few_and_an_empty_one_does_not_count()
    {
        var ladder = Ladder(Retrograde, noise: 0, repetitions: 1, seed: 1);
        ladder[3] = ladder[3] with { ThroughputPerSecond = [0] };

        var result = ScalabilityAnalysis.Of(ladder);

        Assert.Null(result.Lambda);
        Assert.Equal("No fit: 6 load steps, 1 left out since nothing completed; at least 7 are needed.", Assert.Single(result.Notes));
    }

    private static List<ScalabilityPoint> Ladder(ScalabilityFit truth, double noise, int repetitions, int seed)
    {
        var random = new Random(seed);
        return [.. Steps.Select(n => new ScalabilityPoint(
            n, [.. Enumerable.Range(0, repetitions).Select(_ => truth.ThroughputAt(n) * Math.Exp(noise * Normal.Sample(random, 0, 1)))]))];
    }
}

using MathNet.Numerics;
using MathNet.Numerics.LinearAlgebra;
using MathNet.Numerics.LinearRegression;
using MathNet.Numerics.Optimization;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// Fits the Universal Scalability Law (N. J. Gunther, "Guerrilla Capacity Planning", 2007): first y = N/X = (1/lambda)[1 + sigma(N-1) +
/// kappa N(N-1)] by least squares weighted with 1/y^2, then X itself by Levenberg-Marquardt on relative residuals. Sigma and kappa stay 0
/// or more.
/// </summary>
public static class UniversalScalability
{
    private const int Parameters = 3;

    // Squares that the search drove to nothing: on a ladder up to a thousand they cost less than a millionth.
    private const double NoSigma = 1e-9;
    private const double NoKappa = 1e-12;

    /// <param name="points">Concurrency, 1 or more, and throughput per second, over 0; at least four different concurrencies.</param>
    /// <exception cref="ArgumentException">A point is out of range, or there are too few; the message names it.</exception>
    public static ScalabilityFit Fit(IReadOnlyList<(double Concurrency, double ThroughputPerSecond)> points)
    {
        ArgumentNullException.ThrowIfNull(points);
        if (points.Where(point => !(point.Concurrency > 0 && point.ThroughputPerSecond > 0
            && double.IsFinite(point.Concurrency / point.ThroughputPerSecond))).ToList() is [var bad, ..])
        {
            throw new ArgumentException($"The point (N {bad.Concurrency}, X {bad.ThroughputPerSecond}) cannot be fitted: both must be "
                + "finite and over 0. Leave the load step out.", nameof(points));
        }

        var different = points.Select(point => point.Concurrency).Distinct().Count();
        if (different <= Parameters)
        {
            throw new ArgumentException($"{different} different concurrencies cannot determine {Parameters} parameters and their error; "
                + $"measure at least {Parameters + 1}.", nameof(points));
        }

        var start = Linear(points);
        var refined = Refine(points, start);
        return Error(points, refined) < Error(points, start) ? Noisy(points, refined) : Noisy(points, start);
    }

    /// <summary>
    /// The linear fit over every choice of parameters held at 0; of those without a negative one, the one with the least error.
    /// </summary>
    private static ScalabilityFit Linear(IReadOnlyList<(double Concurrency, double ThroughputPerSecond)> points)
    {
        ScalabilityFit? best = null;
        foreach (var (sigma, kappa) in new[] { (true, true), (true, false), (false, true), (false, false) })
        {
            var rows = points.Select(point => Row(point.Concurrency, sigma, kappa)).ToArray();
            var y = points.Select(point => point.Concurrency / point.ThroughputPerSecond).ToArray();
            var solved = WeightedRegression.Weighted(Matrix<double>.Build.DenseOfRowArrays(rows), Vector<double>.Build.Dense(y),
                Matrix<double>.Build.Diagonal([.. y.Select(value => 1 / (value * value))]));
            var fit = new ScalabilityFit(1 / solved[0], sigma ? solved[1] / solved[0] : 0, kappa ? solved[^1] / solved[0] : 0, 0);
            var isPossible = fit.Lambda > 0 && double.IsFinite(fit.Lambda) && fit.Sigma >= 0 && fit.Kappa >= 0;
            if (isPossible && (best is null || Error(points, fit) < Error(points, best)))
            {
                best = fit;
            }
        }

        return best!; // Without sigma and kappa, 1/lambda is a weighted mean of positive numbers: that fit is always possible.
    }

    private static double[] Row(double n, bool sigma, bool kappa) => (sigma, kappa) switch
    {
        (true, true) => [1, n - 1, n * (n - 1)],
        (true, false) => [1, n - 1],
        (false, true) => [1, n * (n - 1)],
        _ => [1],
    };

    /// <summary>
    /// Squares and an exponential as parameters keep sigma and kappa at 0 or more and lambda above it, wherever the search goes.
    /// </summary>
    private static ScalabilityFit Refine(IReadOnlyList<(double Concurrency, double ThroughputPerSecond)> points, ScalabilityFit start)
    {
        var ones = Vector<double>.Build.Dense(points.Count, 1);
        var model = ObjectiveFunction.NonlinearModel(
            (parameters, _) => Vector<double>.Build.Dense(
                points.Count, index => At(parameters).ThroughputAt(points[index].Concurrency) / points[index].ThroughputPerSecond),
            ones, ones, accuracyOrder: 4);
        var guess = Vector<double>.Build.Dense([Math.Log(start.Lambda), Math.Sqrt(start.Sigma), Math.Sqrt(start.Kappa)]);
        try
        {
            var fit = At(new LevenbergMarquardtMinimizer().FindMinimum(model, guess).MinimizingPoint);
            return fit with { Sigma = fit.Sigma < NoSigma ? 0 : fit.Sigma, Kappa = fit.Kappa < NoKappa ? 0 : fit.Kappa };
        }
        catch (Exception exception) when (exception is NonConvergenceException or OptimizationException)
        {
            return start; // The linear fit stands: it is refined where that is possible.
        }
    }

    private static ScalabilityFit At(Vector<double> parameters) =>
        new(Math.Exp(parameters[0]), parameters[1] * parameters[1], parameters[2] * parameters[2], 0);

    /// <summary>Sum of squared relative residuals; infinite where the curve is not a number.</summary>
    private static double Error(IReadOnlyList<(double Concurrency, double ThroughputPerSecond)> points, ScalabilityFit fit)
    {
        var sum = points.Sum(point => Math.Pow((fit.ThroughputAt(point.Concurrency) / point.ThroughputPerSecond) - 1, 2));
        return double.IsNaN(sum) ? double.PositiveInfinity : sum;
    }

    private static ScalabilityFit Noisy(IReadOnlyList<(double Concurrency, double ThroughputPerSecond)> points, ScalabilityFit fit) =>
        fit with { Noise = Math.Sqrt(Error(points, fit) / (points.Count - Parameters)) };
}

/// <summary>The curve X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)) of the Universal Scalability Law.</summary>
/// <param name="Lambda">Throughput of one at a time, per second; over 0.</param>
/// <param name="Sigma">Contention, the serial share; 0 or more.</param>
/// <param name="Kappa">Coherency, the cost of every pair; 0 or more. Over 0, throughput has a maximum and falls behind it.</param>
/// <param name="Noise">Relative standard deviation of the points about the curve, with n - 3 degrees of freedom.</param>
public sealed record ScalabilityFit(double Lambda, double Sigma, double Kappa, double Noise)
{
    /// <summary>N* = sqrt((1 - sigma) / kappa), where throughput is greatest; null without a maximum at or behind one.</summary>
    public double? PeakConcurrency =>
        Kappa > 0 && Sigma < 1 && Math.Sqrt((1 - Sigma) / Kappa) is >= 1 and var peak && double.IsFinite(peak) ? peak : null;

    /// <summary>Throughput at <paramref name="concurrency"/>, per second.</summary>
    public double ThroughputAt(double concurrency) =>
        Lambda * concurrency / (1 + (Sigma * (concurrency - 1)) + (Kappa * concurrency * (concurrency - 1)));
}

using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// The Universal Scalability Law through a ladder, with intervals from resampled ladders, and the rules of what may be reported: from seven
/// load steps, and the maximum only where the noise is at most 3 %, the ladder reaches at least half way to it, and the interval of kappa
/// does not hold 0. With more noise the maximum of a seven-step ladder is off by half.
/// </summary>
public static class ScalabilityAnalysis
{
    /// <summary>Fewer different concurrencies give no fit.</summary>
    public const int LeastSteps = 7;

    /// <summary>More noise than this gives no maximum.</summary>
    public const double GreatestNoise = 0.03;

    private const int Resamples = 500;

    /// <param name="steps">The load steps, in any order.</param>
    /// <param name="seed">Of the resampling.</param>
    public static ScalabilityResult Of(IReadOnlyList<ScalabilityPoint> steps, int seed = 1)
    {
        ArgumentNullException.ThrowIfNull(steps);
        var usable = steps.Where(step => step.Concurrency > 0 && step.ThroughputPerSecond.Count > 0
            && step.ThroughputPerSecond.All(x => x > 0 && double.IsFinite(x))).ToList();
        var different = usable.Select(step => step.Concurrency).Distinct().Count();
        if (different < LeastSteps)
        {
            var left = steps.Count - usable.Count is > 0 and var bad ? $", {bad} left out since nothing completed" : "";
            return new ScalabilityResult { Notes = [$"No fit: {different} load steps{left}; at least {LeastSteps} are needed."] };
        }

        var points = usable.SelectMany(step => step.ThroughputPerSecond.Select(x => (step.Concurrency, x))).ToList();
        var fit = UniversalScalability.Fit(points);
        var repeated = usable.All(step => step.ThroughputPerSecond.Count > 1);
        var random = new Random(seed);
        var samples = Enumerable.Range(0, Resamples)
            .Select(_ => UniversalScalability.Fit(repeated ? Repetitions(usable, random) : Residuals(points, fit, random)))
            .ToList();
        return Described(fit, samples, usable.Max(step => step.Concurrency), repeated);
    }

    private static ScalabilityResult Described(ScalabilityFit fit, IReadOnlyList<ScalabilityFit> samples, double highest, bool repeated)
    {
        var kappa = Interval(samples.Select(sample => sample.Kappa));
        var refusal = Refuse(fit, kappa, highest);
        var peaks = samples.Where(sample => sample.PeakConcurrency is not null).ToList();
        var intervals = refusal is null && peaks.Count >= 0.975 * samples.Count;
        return new ScalabilityResult
        {
            Lambda = fit.Lambda,
            Sigma = fit.Sigma,
            Kappa = fit.Kappa,
            Noise = fit.Noise,
            KappaInterval = kappa,
            PeakConcurrency = refusal is null ? fit.PeakConcurrency : null,
            PeakPerSecond = refusal is null ? fit.ThroughputAt(fit.PeakConcurrency!.Value) : null,
            PeakConcurrencyInterval = intervals ? Interval(peaks.Select(sample => sample.PeakConcurrency!.Value)) : null,
            PeakPerSecondInterval = intervals ? Interval(peaks.Select(sample => sample.ThroughputAt(sample.PeakConcurrency!.Value))) : null,
            Notes =
            [
                .. refusal is null ? Array.Empty<string>() : [refusal],
                repeated
                    ? $"Intervals are 95 % over {Resamples} ladders resampled from the load steps' repetitions."
                    : $"Intervals are 95 % over {Resamples} ladders with resampled residuals: the load steps were not all repeated.",
            ],
        };
    }

    private static string? Refuse(ScalabilityFit fit, IntervalResult kappa, double highest) => fit switch
    {
        _ when kappa.Low <= 0 => "No maximum: the interval of kappa holds 0, no retrograde region was seen.",
        { PeakConcurrency: null } =>
            Text($"No maximum: sigma {fit.Sigma:0.###} and kappa {fit.Kappa:0.######} put none above one at a time."),
        { Noise: > GreatestNoise } => Text($"No maximum reported: the load steps scatter by {100 * fit.Noise:0.0} % about the curve, at "
            + $"most {100 * GreatestNoise:0} % may; repeat the load steps on a quieter machine."),
        { PeakConcurrency: { } peak } when highest < peak / 2 =>
            Text($"No maximum reported: it would lie at {peak:0}, more than twice the highest load step of {highest:0}; add load steps."),
        _ => null,
    };

    private static List<(double, double)> Repetitions(IReadOnlyList<ScalabilityPoint> steps, Random random) =>
        [.. steps.SelectMany(step => step.ThroughputPerSecond.Select(_ =>
            (step.Concurrency, step.ThroughputPerSecond[random.Next(step.ThroughputPerSecond.Count)])))];

    /// <summary>Relative residuals, spread to make up for the three parameters that were fitted to them.</summary>
    private static List<(double, double)> Residuals(
        IReadOnlyList<(double Concurrency, double ThroughputPerSecond)> points, ScalabilityFit fit, Random random)
    {
        var spread = Math.Sqrt(points.Count / (points.Count - 3.0));
        var residuals = points.Select(point => spread * ((point.ThroughputPerSecond / fit.ThroughputAt(point.Concurrency)) - 1)).ToArray();

        // A throughput is never negative, however wild the residuals.
        return [.. points.Select(point =>
            (point.Concurrency, fit.ThroughputAt(point.Concurrency) * Math.Max(0.01, 1 + residuals[random.Next(residuals.Length)])))];
    }

    private static IntervalResult Interval(IEnumerable<double> values)
    {
        var sorted = values.Order().ToArray();
        return new IntervalResult(SortedArrayStatistics.Quantile(sorted, 0.025), SortedArrayStatistics.Quantile(sorted, 0.975));
    }
}

/// <summary>One concurrency and the throughput of each repetition at it.</summary>
/// <param name="Concurrency">Requests at a time, over 0.</param>
/// <param name="ThroughputPerSecond">One figure for each repetition, over 0.</param>
public sealed record ScalabilityPoint(double Concurrency, IReadOnlyList<double> ThroughputPerSecond);

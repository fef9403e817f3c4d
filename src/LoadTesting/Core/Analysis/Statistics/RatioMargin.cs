using MathNet.Numerics.Distributions;

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>
/// The ratio of one figure of two results that their own scatter explains: 95 %, two-sided, by Student's t. Of single
/// runs the intervals of both timelines are paired by their time since the beginning, so that what every run goes
/// through, such as code that is still being compiled, cancels out. Of merged results the runs are the values. It says
/// nothing of what differs from run to run.
/// </summary>
internal static class RatioMargin
{
    /// <summary>Fewest values of a side, pairs of intervals or runs.</summary>
    public const int MinimumValues = 4;

    private const double Confidence = 0.95;

    /// <summary>In a short series a higher correlation of neighbours is only a trend.</summary>
    private const double MaxCorrelation = 0.6;

    /// <summary>
    /// A second in which nothing completed counts as this share of an ordinary one: it has a logarithm.
    /// </summary>
    private const double MinShare = 0.05;

    /// <summary>More than or equal to 1; null where too few values are recorded on a side.</summary>
    /// <param name="ofInterval">The figure of an interval.</param>
    /// <param name="ofRun">The figure of a run that was merged.</param>
    public static double? Of(
        ScenarioResult first, ScenarioResult other, Func<TimelinePoint, double?> ofInterval,
        Func<MergedPart, double?> ofRun)
    {
        if (first.Runs is not null || other.Runs is not null)
        {
            return OfRuns(
                Logarithms([.. first.Runs?.Select(ofRun).OfType<double>() ?? []]),
                Logarithms([.. other.Runs?.Select(ofRun).OfType<double>() ?? []]));
        }

        if (first.Timeline?.IntervalMs != other.Timeline?.IntervalMs)
        {
            return null;
        }

        // An interval in which nothing completed has no percentile.
        var pairs = Whole(first).Select(ofInterval).Zip(Whole(other).Select(ofInterval))
            .Where(pair => pair is { First: not null, Second: not null }).ToList();
        return OfPairs(
            Logarithms([.. pairs.Select(pair => pair.First!.Value)]),
            Logarithms([.. pairs.Select(pair => pair.Second!.Value)]));
    }

    /// <summary>
    /// What other processes made of the ratio: that of the processor time which they left to the runs. 1 where it is
    /// not recorded, else more than or equal to 1.
    /// </summary>
    public static double OfOthers(ScenarioResult first, ScenarioResult other)
    {
        var ratio = LeftByOthers(first) / LeftByOthers(other);
        return ratio is > 0 ? Math.Max(ratio.Value, 1 / ratio.Value) : 1;
    }

    /// <summary>Share of the machine's processor time, 0 to 1, that load and system had or could have had.</summary>
    private static double? LeftByOthers(ScenarioResult scenario)
    {
        var others = Whole(scenario).Select(point => point.Cpu)
            .Select(cpu => cpu?.Machine - (cpu?.Generator ?? 0) - (cpu?.Service ?? 0) - (cpu?.Database ?? 0))
            .OfType<double>().ToList();
        return others.Count == 0 ? null : 1 - Math.Clamp(others.Mean(), 0, 1);
    }

    /// <summary>The first interval is the slower for what is still cold, and the last is not a whole one.</summary>
    private static IEnumerable<TimelinePoint> Whole(ScenarioResult scenario) =>
        scenario.Timeline?.Points.Skip(1).SkipLast(1) ?? [];

    private static double? OfRuns(IReadOnlyList<double> first, IReadOnlyList<double> other)
    {
        var values = Math.Min(first.Count, other.Count);
        return values < MinimumValues
            ? null
            : Beyond(Math.Sqrt((first.Variance() / first.Count) + (other.Variance() / other.Count)), values);
    }

    /// <summary>
    /// Neighbours that depend on each other count for less than as many values: the error of an autoregressive series
    /// of first order is √((1 + r) / (1 − r)) times that of independent ones (G. E. P. Box, G. M. Jenkins and G. C.
    /// Reinsel, Time Series Analysis, 2.1).
    /// </summary>
    private static double? OfPairs(IReadOnlyList<double> first, IReadOnlyList<double> other)
    {
        var differences = first.Zip(other, (before, after) => after - before).ToList();
        if (differences.Count < MinimumValues)
        {
            return null;
        }

        var correlation = Math.Clamp(Correlation(differences), 0, MaxCorrelation);
        var error = differences.StandardDeviation() / Math.Sqrt(differences.Count);
        return Beyond(error * Math.Sqrt((1 + correlation) / (1 - correlation)), differences.Count);
    }

    private static double Beyond(double error, int values) =>
        Math.Exp(error * StudentT.InvCDF(0, 1, values - 1, (1 + Confidence) / 2));

    private static List<double> Logarithms(IReadOnlyList<double> values)
    {
        var least = values.Count == 0 ? 0 : values.Median() * MinShare;
        return least > 0 ? [.. values.Select(value => Math.Log(Math.Max(value, least)))] : [];
    }

    /// <summary>
    /// Of neighbours; a short series shows too little of it (F. H. C. Marriott and J. A. Pope, Biometrika 41, 1954).
    /// </summary>
    private static double Correlation(IReadOnlyList<double> values)
    {
        var mean = values.Mean();
        var squares = values.Sum(value => (value - mean) * (value - mean));
        var seen = squares == 0
            ? 0 : values.Zip(values.Skip(1), (value, next) => (value - mean) * (next - mean)).Sum() / squares;
        return squares == 0 ? 0 : seen + ((1 + (4 * seen)) / values.Count);
    }
}

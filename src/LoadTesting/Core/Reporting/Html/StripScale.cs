namespace LoadTesting.Core.Reporting.Html;

/// <summary>The scale of a strip, straight from 0 or logarithmic.</summary>
internal sealed record StripScale(double Low, double High, bool IsLogarithmic)
{
    /// <summary>A label nearer to the end of the scale than this share of it would overlap the label there.</summary>
    private const double MinGap = 0.16;

    /// <summary>From 0 to a round value of at least that.</summary>
    public static StripScale To(double highest) => new(0, ChartAxis.FromZero("", highest).Marks[^1].Value, false);

    /// <summary>Over tenths of decades around the values.</summary>
    public static StripScale Around(double lowest, double highest)
    {
        var (low, high) = ((int)Math.Floor(10 * Math.Log10(lowest)), (int)Math.Ceiling(10 * Math.Log10(highest)));
        return new(Math.Pow(10, low / 10.0), Math.Pow(10, Math.Max(high, low + 3) / 10.0), true);
    }

    /// <summary>Where a value lies, 0 to 1.</summary>
    public double Place(double value) => Math.Clamp(
        IsLogarithmic ? Math.Log10(Math.Max(value, Low) / Low) / Math.Log10(High / Low) : value / High, 0, 1);

    /// <summary>Values for gridlines and labels: the ends, and the middle or the decades between them.</summary>
    public IReadOnlyList<double> Marks => IsLogarithmic
        ? [Low, .. Decades().Where(value => Place(value) is > MinGap and < 1 - MinGap), High]
        : [Low, (Low + High) / 2, High];

    public string Label(double value) => value.ToString(
        value >= 10 || value == 0 ? "#,0" : value >= 1 ? "0.#" : "0.0##", CultureInfo.InvariantCulture);

    private IEnumerable<double> Decades() => Enumerable
        .Range((int)Math.Ceiling(Math.Log10(Low)), Math.Max(0, (int)Math.Floor(Math.Log10(High / Low)) + 1))
        .Select(exponent => Math.Pow(10, exponent));
}

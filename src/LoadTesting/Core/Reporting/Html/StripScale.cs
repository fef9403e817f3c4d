namespace LoadTesting.Core.Reporting.Html;

/// <summary>The scale of a strip, straight from 0 or logarithmic.</summary>
internal sealed record StripScale(double Low, double High, bool IsLogarithmic)
{
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

    public string Label(double value) => value.ToString(
        value >= 10 || value == 0 ? "#,0" : value >= 1 ? "0.#" : "0.0##", CultureInfo.InvariantCulture);
}

namespace LoadTesting.Core.Reporting.Html;

/// <summary>A line of a strip: a value for each of equally long intervals, null where there is none.</summary>
/// <param name="Style">Class of the style sheet, which gives it its colour and its dashes.</param>
internal sealed record StripLine(string Style, string Name, IReadOnlyList<double?> Values)
{
    private const double Whole = 99.5;

    /// <summary>
    /// The values for the script: whole from 100 on, else three digits; empty where there is none, and equal neighbours
    /// once with their number, as <c>4.52,,0*12,1840</c>.
    /// </summary>
    public string Packed()
    {
        var packed = new StringBuilder();
        for (var index = 0; index < Values.Count;)
        {
            var text = Text(Values[index]);
            var from = index;
            while (index < Values.Count && Text(Values[index]) == text)
            {
                index++;
            }

            packed.Append(packed.Length > 0 || from > 0 ? "," : "").Append(text);
            _ = index - from > 1 ? packed.Append('*').Append(index - from) : packed;
        }

        return packed.ToString();
    }

    private static string Text(double? value) => value is not { } known ? ""
        : Math.Abs(known) >= Whole ? known.ToString("0", CultureInfo.InvariantCulture)
        : Math.Abs(known) < 0.001 ? "0"
        : known.ToString(known >= 10 ? "0.#" : known >= 1 ? "0.##" : "0.###", CultureInfo.InvariantCulture);
}

namespace Benchmarks;

/// <summary>Figures of interleaved rounds: medians, and the spread as the noise.</summary>
internal sealed class Rounds(string name)
{
    private readonly Dictionary<string, List<double>> _figures = [];

    public void Add(string figure, double value)
    {
        if (!_figures.TryGetValue(figure, out var values))
        {
            _figures[figure] = values = [];
        }

        values.Add(value);
    }

    public double Median(string figure) => Median(_figures[figure]);

    public void Print()
    {
        Console.WriteLine($"\n{name}");
        foreach (var (figure, values) in _figures)
        {
            Console.WriteLine(
                string.Create(CultureInfo.InvariantCulture, $"  {figure,-54} median {Median(values),10:0.###}   min "
                + $"{values.Min(),10:0.###}   max {values.Max(),10:0.###}   n {values.Count}"));
        }
    }

    public static void Target(string text, double measured, double limit, bool atLeast)
    {
        var met = atLeast ? measured >= limit : measured <= limit;
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"  {(met ? "met   " : "MISSED")} {text}: {measured:0.###} ({(atLeast ? "at least" : "at most")} {limit:0.###})"));
    }

    private static double Median(List<double> values)
    {
        var sorted = values.Order().ToArray();
        return sorted.Length % 2 == 1
            ? sorted[sorted.Length / 2] : (sorted[(sorted.Length / 2) - 1] + sorted[sorted.Length / 2]) / 2;
    }
}

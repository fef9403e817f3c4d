using System.Text.RegularExpressions;

namespace IntegrationTests.Dashboards;

/// <summary>The names in a PromQL query.</summary>
/// <param name="Metrics">Metrics, each with the labels that it is selected by.</param>
/// <param name="Grouping">Labels that series are grouped or matched by.</param>
internal sealed partial record QueryNames(
    IReadOnlyList<(string Metric, IReadOnlyList<string> Labels)> Metrics, IReadOnlyList<string> Grouping)
{
    private static readonly string[] Operators = ["and", "or", "unless", "bool", "offset", "inf", "nan"];

    /// <summary>Given by Prometheus to all that it scrapes.</summary>
    private static readonly string[] Everywhere = ["instance", "job"];

    public static QueryNames Of(string query)
    {
        var grouping =
            GroupingPattern().Matches(query).SelectMany(match => LabelPattern().Matches(match.Groups[1].Value));
        var rest = GroupingPattern().Replace(query, " ");
        var selectors = SelectorPattern().Matches(rest).Select(match => (
            match.Groups[1].Value,
            (IReadOnlyList<string>)[
                .. MatcherPattern().Matches(match.Groups[2].Value).Select(label => label.Groups[1].Value)]));
        rest = NoNamePattern().Replace(SelectorPattern().Replace(rest, " "), " ");
        var bare =
            NamePattern().Matches(rest).Select(match => match.Value).Except(Operators, StringComparer.OrdinalIgnoreCase)
            .Select(name => (name, (IReadOnlyList<string>)[]));
        return new([.. selectors, .. bare], [.. grouping.Select(match => match.Value)]);
    }

    /// <summary>The names in a query and its legend that nothing exports.</summary>
    /// <param name="query">In PromQL, with Grafana's variables.</param>
    /// <param name="legend">The names of the series.</param>
    /// <param name="exported">Labels by metric.</param>
    public static IEnumerable<string> Unknown(
        string query, string legend, IReadOnlyDictionary<string, IReadOnlySet<string>> exported)
    {
        var names = Of(query);
        if (names.Metrics.Count == 0)
        {
            yield return $"'{query}' names no metric";
        }

        foreach (var (metric, labels) in names.Metrics)
        {
            if (!exported.TryGetValue(metric, out var known))
            {
                yield return $"'{query}': nobody exports {metric}";
                continue;
            }

            foreach (var label in labels.Except(known).Except(Everywhere))
            {
                yield return $"'{query}': {metric} has no label {label}";
            }
        }

        var any = names.Metrics.SelectMany(metric => exported.GetValueOrDefault(metric.Metric) ?? new HashSet<string>())
            .Concat(Everywhere);
        foreach (var label in names.Grouping.Concat(LabelsOf(legend)).Except(any))
        {
            yield return $"'{query}': none of its metrics has the label {label}";
        }
    }

    /// <summary>The labels in double braces.</summary>
    public static IEnumerable<string> LabelsOf(string legend) =>
        LegendPattern().Matches(legend).Select(match => match.Groups[1].Value);

    /// <summary>Metrics of a page in Prometheus' text format, with their labels.</summary>
    public static IEnumerable<(string Metric, IEnumerable<string> Labels)> OfPage(string page) =>
        page.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => line[0] != '#').Select(line => (
            line[..line.IndexOfAny(['{', ' '])],
            MatcherPattern().Matches(line).Select(match => match.Groups[1].Value)));

    [GeneratedRegex(@"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")]
    private static partial Regex GroupingPattern();

    [GeneratedRegex("[A-Za-z_][A-Za-z0-9_]*")]
    private static partial Regex LabelPattern();

    [GeneratedRegex("""([A-Za-z_:][\w:]*)\s*\{((?:[^}"]|"(?:[^"\\]|\\.)*")*)\}""")]
    private static partial Regex SelectorPattern();

    [GeneratedRegex("""([A-Za-z_]\w*)\s*(?:=~|!~|!=|=)\s*"(?:[^"\\]|\\.)*["]""")]
    private static partial Regex MatcherPattern();

    /// <summary>Texts and ranges.</summary>
    [GeneratedRegex("""\"(?:[^"\\]|\\.)*\"|\[[^\]]*\]""")]
    private static partial Regex NoNamePattern();

    /// <summary>A name followed by a parenthesis is a function.</summary>
    [GeneratedRegex(@"(?<![\w.$])(?>[A-Za-z_:][\w:]*)(?!\s*\()")]
    private static partial Regex NamePattern();

    [GeneratedRegex(@"\{\{\s*(\w+)\s*\}\}")]
    private static partial Regex LegendPattern();
}

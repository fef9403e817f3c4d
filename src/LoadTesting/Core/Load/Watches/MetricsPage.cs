namespace LoadTesting.Core.Load.Watches;

/// <summary>Reads the pages of metrics that services have, in the Prometheus text format.</summary>
public static class MetricsPage
{
    /// <summary>The clock of the process that wrote the page, seconds since 1970.</summary>
    public const string Clock = "process_time_seconds";

    /// <summary>When that process started, seconds since 1970.</summary>
    public const string ProcessStart = "process_start_time_seconds";

    /// <summary>The samples without labels, by name.</summary>
    public static IReadOnlyDictionary<string, double> Read(string page)
    {
        ArgumentNullException.ThrowIfNull(page);
        return page.Split('\n')
            .Where(line => line.Length > 0 && line[0] != '#' && !line.Contains('{', StringComparison.Ordinal))
            .Select(line => line.Split(' '))
            .ToDictionary(parts => parts[0], parts => double.Parse(parts[1], CultureInfo.InvariantCulture), StringComparer.Ordinal);
    }

    /// <summary>The value of a metric that must be there.</summary>
    /// <exception cref="FormatException">It is not.</exception>
    public static double Value(IReadOnlyDictionary<string, double> page, string metric)
    {
        ArgumentNullException.ThrowIfNull(page);
        return page.TryGetValue(metric, out var value)
            ? value
            : throw new FormatException($"The service has no '{metric}' at /metrics. Is it of this version?");
    }
}

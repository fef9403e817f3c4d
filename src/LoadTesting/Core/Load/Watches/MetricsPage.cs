namespace LoadTesting.Core.Load.Watches;

/// <summary>Reads a service's metrics in the Prometheus text format.</summary>
public static class MetricsPage
{
    /// <summary>Metric with the current time of the service, seconds since 1970.</summary>
    public const string Clock = "process_time_seconds";

    /// <summary>Metric with the start time of the service, seconds since 1970.</summary>
    public const string ProcessStart = "process_start_time_seconds";

    private const int MostShown = 60;

    /// <summary>The samples without labels, by name.</summary>
    /// <exception cref="FormatException">A line is not a sample; the message shows it.</exception>
    public static IReadOnlyDictionary<string, double> Read(string page)
    {
        var samples = new Dictionary<string, double>(StringComparer.Ordinal);
        foreach (var line in page.Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            if (line[0] == '#' || line.Contains('{', StringComparison.Ordinal))
            {
                continue;
            }

            // A timestamp may follow the value.
            var parts = line.Split(' ');
            samples[parts[0]] = parts is [_, var text, ..]
                && double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value)
                ? value
                : throw new FormatException(
                    $"/metrics has the line '{line[..Math.Min(line.Length, MostShown)]}', which is not a sample. "
                        + "Is that a workflow service?");
        }

        return samples;
    }

    /// <summary>The value of a required metric.</summary>
    /// <exception cref="FormatException">The metric is missing.</exception>
    public static double Value(IReadOnlyDictionary<string, double> page, string metric)
    {
        return page.TryGetValue(metric, out var value)
            ? value
            : throw new FormatException($"The service has no '{metric}' at /metrics. Is it of this version?");
    }
}

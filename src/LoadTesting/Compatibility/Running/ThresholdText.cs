using System.Text.RegularExpressions;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>
/// Thresholds of a JSON configuration: <c>{ "OkLatency": "p75 &lt; 80", "AbortWhenErrorCount": 5 }</c>.
/// </summary>
internal static partial class ThresholdText
{
    private static readonly Dictionary<string, Func<MeasurementStats, double>> s_request =
        new(StringComparer.OrdinalIgnoreCase)
    {
        ["RPS"] = side => side.Request.RPS,
        ["Percent"] = side => side.Request.Percent,
        ["Count"] = side => side.Request.Count,
    };

    private static readonly Dictionary<string, Func<MeasurementStats, double>> s_latency =
        new(StringComparer.OrdinalIgnoreCase)
    {
        ["min"] = side => side.Latency.MinMs,
        ["mean"] = side => side.Latency.MeanMs,
        ["max"] = side => side.Latency.MaxMs,
        ["p50"] = side => side.Latency.Percent50,
        ["p75"] = side => side.Latency.Percent75,
        ["p95"] = side => side.Latency.Percent95,
        ["p99"] = side => side.Latency.Percent99,
        ["stdDev"] = side => side.Latency.StdDev,
    };

    private static readonly Dictionary<string, Func<MeasurementStats, double>> s_transfer =
        new(StringComparer.OrdinalIgnoreCase)
    {
        ["min"] = side => side.DataTransfer.MinBytes,
        ["mean"] = side => side.DataTransfer.MeanBytes,
        ["max"] = side => side.DataTransfer.MaxBytes,
        ["all"] = side => side.DataTransfer.AllBytes,
        ["p50"] = side => side.DataTransfer.Percent50,
        ["p75"] = side => side.DataTransfer.Percent75,
        ["p95"] = side => side.DataTransfer.Percent95,
        ["p99"] = side => side.DataTransfer.Percent99,
        ["stdDev"] = side => side.DataTransfer.StdDev,
    };

    /// <summary>A threshold of each of its rules.</summary>
    /// <exception cref="ArgumentException">The text is not a threshold; the message quotes it.</exception>
    public static Threshold[] Parse(IConfigurationSection section)
    {
        var rules = section.GetChildren().Where(child => ConfigurationKeys.IsRule(child.Key)).ToArray();
        return rules.Length > 0
            ? [.. rules.Select(rule => Of(rule, section))]
            : throw new ArgumentException($"{section.Path} of the configuration is a threshold without a rule.");
    }

    private static Threshold Of(IConfigurationSection rule, IConfigurationSection section)
    {
        var abort = SettingsReader.NumberOf(section.GetSection("AbortWhenErrorCount"));
        var after = section.GetSection("StartCheckAfter") is { Value: { } text } start
            ? BuiltIn.DurationText.Read(text, start.Path)
            : (TimeSpan?)null;
        var parts = rule.GetChildren().Select(child => child.Value).DefaultIfEmpty(rule.Value).ToArray();
        var key = ConfigurationKeys.Rules.First(known => known.Equals(rule.Key, StringComparison.OrdinalIgnoreCase));
        var expression = $"{key}: {string.Join(", ", parts)}";
        var check = key == "StatusCode" && parts.Length == 2
            ? StatusCode(parts[0], parts[1], expression)
            : Side(key, parts[0], expression);
        return section["StepName"] is { } step
            ? Threshold.Create(step, stats => check(stats.Ok, stats.Fail), abort, after, expression)
            : Threshold.Create(stats => check(stats.Ok, stats.Fail), abort, after, expression);
    }

    /// <summary>
    /// Where nothing succeeded, no rule on the latency or the bytes of successes holds. Where nothing failed, those of
    /// failures are 0.
    /// </summary>
    private static Func<MeasurementStats, MeasurementStats, bool> Side(string key, string text, string expression)
    {
        var metrics = key switch
        {
            "OkRequest" or "FailRequest" => s_request,
            "OkLatency" or "FailLatency" => s_latency,
            "OkDataTransfer" or "FailDataTransfer" => s_transfer,
            _ => throw new ArgumentException($"The threshold '{expression}' is not [code, rule], "
                + "such as [\"500\", \"Percent < 5\"]."),
        };
        var (name, holds) = Comparison(text, expression);
        return metrics.TryGetValue(name, out var measure)
            ? key.StartsWith("Ok", StringComparison.Ordinal)
                ? (ok, _) => holds(measure(ok)) && (ok.Request.Count > 0 || metrics == s_request)
                : (_, fail) => holds(measure(fail))
            : throw new ArgumentException(
                $"The threshold '{expression}' is on '{name}'; known are {string.Join(", ", metrics.Keys)}.");
    }

    /// <summary>A code that never came is 0 percent.</summary>
    private static Func<MeasurementStats, MeasurementStats, bool> StatusCode(
        string code, string text, string expression)
    {
        var (name, holds) = Comparison(text, expression);
        Func<StatusCodeStats, double> measure = name.ToUpperInvariant() switch
        {
            "PERCENT" => found => found?.Percent ?? 0,
            "COUNT" => found => found?.Count ?? 0,
            _ => throw new ArgumentException($"The threshold '{expression}' is on '{name}'; "
                + "of a status code Percent and Count are known."),
        };
        return (ok, fail) => holds(measure(ok.StatusCodes.Find(code) ?? fail.StatusCodes.Find(code)));
    }

    private static (string Name, Func<double, bool> Holds) Comparison(string text, string expression)
    {
        var match = Rule().Match(text ?? "");
        if (!match.Success)
        {
            throw new ArgumentException($"The threshold '{expression}' is not a comparison such as \"p75 < 80\".");
        }

        var limit = double.Parse(match.Groups[3].ValueSpan, CultureInfo.InvariantCulture);
        return (match.Groups[1].Value, match.Groups[2].Value switch
        {
            "<" => value => value < limit,
            "<=" => value => value <= limit,
            ">" => value => value > limit,
            ">=" => value => value >= limit,
            "!=" => value => value != limit,
            _ => value => value == limit,
        });
    }

    [GeneratedRegex(@"^\s*(\w+)\s*(<=|>=|==|!=|<|>|=)\s*(-?\d+(?:\.\d+)?)\s*$")]
    private static partial Regex Rule();
}

using Foundation;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Running;

/// <summary>
/// The keys of a JSON configuration and what they hold. They compare alike whatever their case, as those of .NET do.
/// </summary>
internal static class ConfigurationKeys
{
    public static readonly string[] Rules =
        ["OkRequest", "FailRequest", "OkLatency", "FailLatency", "OkDataTransfer", "FailDataTransfer", "StatusCode"];

    private static readonly (string Key, Holds Holds)[] s_root =
    [
        ("TestSuite", Holds.Value), ("TestName", Holds.Value), ("TargetScenarios", Holds.List),
        ("GlobalSettings", Holds.Section),
        ("ScenarioCompletionTimeout", Holds.Value), ("DisplayConsoleMetrics", Holds.Value), ("$schema", Holds.Value),
    ];

    private static readonly (string Key, Holds Holds)[] s_globals =
    [
        ("ScenariosSettings", Holds.List), ("GlobalCustomSettings", Holds.Anything), ("ReportFileName", Holds.Value),
        ("ReportFolder", Holds.Value), ("ReportFormats", Holds.List), ("ReportingInterval", Holds.Value),
        ("ScenarioCompletionTimeout", Holds.Value), ("DisplayConsoleMetrics", Holds.Value),
        ("EnableHintsAnalyzer", Holds.Value),
        ("EnableStopTestForcibly", Holds.Value),
    ];

    private static readonly (string Key, Holds Holds)[] s_scenario =
    [
        ("ScenarioName", Holds.Value), ("WarmUpDuration", Holds.Value), ("LoadSimulationsSettings", Holds.List),
        ("ThresholdSettings", Holds.List), ("CustomSettings", Holds.Anything), ("MaxFailCount", Holds.Value),
        ("Weight", Holds.Value),
    ];

    private static readonly (string Key, Holds Holds)[] s_threshold =
    [
        .. Rules.Select(rule => (rule, Holds.Anything)), ("StepName", Holds.Value),
        ("AbortWhenErrorCount", Holds.Value),
        ("StartCheckAfter", Holds.Value),
    ];

    /// <summary>As Serilog's own configuration has them; those that are not read here do no harm.</summary>
    private static readonly (string Key, Holds Holds)[] s_serilog =
    [
        .. new[]
        {
            "MinimumLevel", "WriteTo", "Using", "Enrich", "Properties", "Filter", "Destructure", "LevelSwitches",
            "FilterSwitches", "AuditTo",
        }.Select(key => (key, Holds.Anything)),
    ];

    private enum Holds
    {
        Value,
        List,
        Section,
        Anything,
    }

    public static bool IsRule(string key) => Rules.Contains(key, StringComparer.OrdinalIgnoreCase);

    /// <summary>A key that would be passed over, or holds something else than is read, a sentence each.</summary>
    public static IEnumerable<string> Violations(IConfiguration json)
    {
        var globals = json.GetSection("GlobalSettings");
        var scenarios = globals.GetSection("ScenariosSettings").GetChildren().ToArray();
        return
        [
            .. Violations(json, s_root), .. Violations(globals, s_globals),
            .. scenarios.SelectMany(scenario => Violations(scenario, s_scenario)),
            .. scenarios.SelectMany(scenario => scenario.GetSection("ThresholdSettings").GetChildren())
                .SelectMany(threshold => Violations(threshold, s_threshold)),
        ];
    }

    /// <summary>
    /// Of an infrastructure configuration the levels and files of the log; the rest belongs to sinks and plugins.
    /// </summary>
    public static IEnumerable<string> InfraViolations(IConfiguration json) =>
        Violations(json.GetSection("Serilog"), s_serilog);

    private static IEnumerable<string> Violations(IConfiguration section, (string Key, Holds Holds)[] known)
    {
        foreach (var child in section.GetChildren())
        {
            var (key, holds) = Array.Find(known, one => one.Key.Equals(child.Key, StringComparison.OrdinalIgnoreCase));
            var isParent = child.GetChildren().Any();
            if (key is null)
            {
                yield return $"'{child.Path}' is not known; the nearest is "
                    + $"'{Nearest(child.Key, known.Select(one => one.Key))}', and known are "
                    + $"{string.Join(", ", known.Select(one => one.Key))}.";
            }
            else if (holds == Holds.Value && isParent)
            {
                yield return $"'{child.Path}' is a list or an object; it is one value.";
            }
            else if (holds is Holds.List or Holds.Section && !isParent && !string.IsNullOrEmpty(child.Value))
            {
                yield return $"'{child.Path}' is '{child.Value}'; it is {(holds == Holds.List ? "a list: [ ... ]" : "an object: { ... }")}.";
            }
        }
    }

    public static string Nearest(string name, IEnumerable<string> known) => Suggestion.Ranked(name, known).First();
}

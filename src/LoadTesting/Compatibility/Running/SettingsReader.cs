using System.Text.RegularExpressions;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>Reads JSON configurations, from a file, from a URL, or as they are.</summary>
internal static class SettingsReader
{
    public static IConfiguration None { get; } = new ConfigurationBuilder().Build();

    public static IConfiguration ReadInfra(string path) => Parse(path);

    /// <exception cref="ArgumentException">It cannot be read, or says what is not known; the message names it.</exception>
    public static SessionSettings Read(string path)
    {
        var json = Parse(path);
        var globals = json.GetSection("GlobalSettings");
        try
        {
            return new SessionSettings
            {
                TestSuite = json["TestSuite"],
                TestName = json["TestName"],
                TargetScenarios = List(json, "TargetScenarios", child => child.Value),
                Scenarios = [.. globals.GetSection("ScenariosSettings").GetChildren().Select(ScenarioOf)],
                GlobalCustomSettings = globals.GetSection("GlobalCustomSettings"),
                ReportFileName = globals["ReportFileName"],
                ReportFolder = globals["ReportFolder"],
                ReportFormats = List(globals, "ReportFormats", child => FormatOf(child.Value)),
                ReportingInterval = TimeOf(globals.GetSection("ReportingInterval")),
                CompletionTimeout = TimeOf(json.GetSection("ScenarioCompletionTimeout"))
                    ?? TimeOf(globals.GetSection("ScenarioCompletionTimeout")),
                DisplayConsoleMetrics =
                    json.GetValue<bool?>("DisplayConsoleMetrics") ?? globals.GetValue<bool?>("DisplayConsoleMetrics"),
                EnableHintsAnalyzer = globals.GetValue<bool?>("EnableHintsAnalyzer"),
                EnableStopTestForcibly = globals.GetValue<bool?>("EnableStopTestForcibly"),
            };
        }
        catch (Exception exception) when (exception is not ArgumentException)
        {
            throw new ArgumentException($"The configuration '{Excerpt(path)}' cannot be read: {exception.Message}", exception);
        }
    }

    private static ScenarioSettings ScenarioOf(IConfigurationSection section) => new()
    {
        ScenarioName = section["ScenarioName"] ?? throw new ArgumentException($"{section.Path} of the configuration has no ScenarioName."),
        WarmUpDuration = TimeOf(section.GetSection("WarmUpDuration")),
        LoadSimulations = List(section, "LoadSimulationsSettings", SimulationOf),
        Thresholds = List(section, "ThresholdSettings", ThresholdText.Parse)?.SelectMany(thresholds => thresholds).ToArray(),
        CustomSettings = section.GetSection("CustomSettings"),
        MaxFailCount = section.GetValue<int?>("MaxFailCount"),
        Weight = section.GetValue<int?>("Weight"),
    };

    private static LoadSimulation SimulationOf(IConfigurationSection section)
    {
        var simulation = section.GetChildren().Single();
        var values = simulation.GetChildren().Select(child => child.Value).DefaultIfEmpty(simulation.Value)
            .Select(value => value ?? "").ToArray();
        int Number(int index) => int.Parse(values[index], CultureInfo.InvariantCulture);
        TimeSpan Time(int index) => TimeSpan.Parse(values[index], CultureInfo.InvariantCulture);
        return (simulation.Key, values.Length) switch
        {
            ("RampingConstant", 2) => BuiltIn.Simulation.RampingConstant(Number(0), Time(1)),
            ("KeepConstant", 2) => LoadSimulation.NewKeepConstant(Number(0), Time(1)),
            ("RampingInject", 3) => BuiltIn.Simulation.RampingInject(Number(0), Time(1), Time(2)),
            ("Inject", 3) => LoadSimulation.NewInject(Number(0), Time(1), Time(2)),
            ("InjectRandom", 4) => LoadSimulation.NewInjectRandom(Number(0), Number(1), Time(2), Time(3)),
            ("IterationsForConstant", 2) => LoadSimulation.NewIterationsForConstant(Number(0), Number(1)),
            ("IterationsForInject", 3) => BuiltIn.Simulation.IterationsForInject(Number(0), Time(1), Number(2)),
            ("Pause", 1) => BuiltIn.Simulation.Pause(Time(0)),
            _ => throw new ArgumentException(
                $"{section.Path} of the configuration has a load '{simulation.Key}' with {values.Length} values. Known are RampingConstant "
                + "and KeepConstant [copies, during], RampingInject and Inject [rate, interval, during], InjectRandom [minRate, maxRate, "
                + "interval, during], IterationsForConstant [copies, iterations], IterationsForInject [rate, interval, iterations] and "
                + "Pause during."),
        };
    }

    private static IConfiguration Parse(string path)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        try
        {
            using var stream = new MemoryStream(Encoding.UTF8.GetBytes(Texts(path)));
            return new ConfigurationBuilder().AddJsonStream(stream).Build();
        }
        catch (Exception exception)
        {
            throw new ArgumentException(
                $"The configuration '{Excerpt(path)}' cannot be read: {(exception.InnerException ?? exception).Message}", exception);
        }
    }

    private static string Texts(string path) => path.TrimStart().StartsWith('{') ? path : SourceText.Read(path);

    /// <summary>Null where the key is missing; an empty list is one.</summary>
    private static IReadOnlyList<T> List<T>(IConfiguration parent, string key, Func<IConfigurationSection, T> of) =>
        parent.GetChildren().FirstOrDefault(child => child.Key == key) is { } section ? [.. section.GetChildren().Select(of)] : null;

    private static TimeSpan? TimeOf(IConfigurationSection section) =>
        section.Value is { } text ? TimeSpan.Parse(text, CultureInfo.InvariantCulture) : null;

    private static ReportFormat FormatOf(string text) => Enum.TryParse<ReportFormat>(text, ignoreCase: true, out var format)
        ? format
        : throw new ArgumentException($"'{text}' is no report format, only {string.Join(", ", Enum.GetNames<ReportFormat>())} are.");

    private static string Excerpt(string text) => text.Length <= 80 ? text : text[..80] + "...";
}

/// <summary>Thresholds of a JSON configuration: <c>{ "OkLatency": "p75 &lt; 80", "AbortWhenErrorCount": 5 }</c>.</summary>
internal static partial class ThresholdText
{
    private static readonly Dictionary<string, Func<MeasurementStats, double>> s_request = new(StringComparer.OrdinalIgnoreCase)
    {
        ["RPS"] = side => side.Request.RPS,
        ["Percent"] = side => side.Request.Percent,
        ["Count"] = side => side.Request.Count,
    };

    private static readonly Dictionary<string, Func<MeasurementStats, double>> s_latency = new(StringComparer.OrdinalIgnoreCase)
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

    private static readonly Dictionary<string, Func<MeasurementStats, double>> s_transfer = new(StringComparer.OrdinalIgnoreCase)
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
    /// <exception cref="ArgumentException">It is no threshold; the message quotes it.</exception>
    public static Threshold[] Parse(IConfigurationSection section)
    {
        var rules = section.GetChildren()
            .Where(child => child.Key is not ("AbortWhenErrorCount" or "StartCheckAfter" or "StepName")).ToArray();
        return rules.Length > 0
            ? [.. rules.Select(rule => Of(rule, section))]
            : throw new ArgumentException($"{section.Path} of the configuration is a threshold without a rule.");
    }

    private static Threshold Of(IConfigurationSection rule, IConfigurationSection section)
    {
        var abort = section.GetValue<int?>("AbortWhenErrorCount");
        var after = section["StartCheckAfter"] is { } text ? TimeSpan.Parse(text, CultureInfo.InvariantCulture) : (TimeSpan?)null;
        var parts = rule.GetChildren().Select(child => child.Value).DefaultIfEmpty(rule.Value).ToArray();
        var expression = $"{rule.Key}: {string.Join(", ", parts)}";
        var check = rule.Key == "StatusCode" && parts.Length == 2
            ? StatusCode(parts[0], parts[1], expression)
            : Side(rule.Key, parts[0], expression);
        return section["StepName"] is { } step
            ? Threshold.Create(step, stats => check(stats.Ok, stats.Fail), abort, after, expression)
            : Threshold.Create(stats => check(stats.Ok, stats.Fail), abort, after, expression);
    }

    /// <summary>
    /// Where nothing succeeded, no rule on the latency or the bytes of successes holds. Where nothing failed, those of failures are 0.
    /// </summary>
    private static Func<MeasurementStats, MeasurementStats, bool> Side(string key, string text, string expression)
    {
        var metrics = key switch
        {
            "OkRequest" or "FailRequest" => s_request,
            "OkLatency" or "FailLatency" => s_latency,
            "OkDataTransfer" or "FailDataTransfer" => s_transfer,
            _ => throw new ArgumentException(
                $"The threshold '{expression}' is on '{key}'; known are OkRequest, FailRequest, OkLatency, FailLatency, OkDataTransfer, "
                + "FailDataTransfer and StatusCode [code, rule]."),
        };
        var (name, holds) = Comparison(text, expression);
        return metrics.TryGetValue(name, out var measure)
            ? key.StartsWith("Ok", StringComparison.Ordinal)
                ? (ok, _) => holds(measure(ok)) && (ok.Request.Count > 0 || metrics == s_request)
                : (_, fail) => holds(measure(fail))
            : throw new ArgumentException($"The threshold '{expression}' is on '{name}'; known are {string.Join(", ", metrics.Keys)}.");
    }

    /// <summary>A code that never came is 0 percent.</summary>
    private static Func<MeasurementStats, MeasurementStats, bool> StatusCode(string code, string text, string expression)
    {
        var (name, holds) = Comparison(text, expression);
        Func<StatusCodeStats, double> measure = name.ToUpperInvariant() switch
        {
            "PERCENT" => found => found?.Percent ?? 0,
            "COUNT" => found => found?.Count ?? 0,
            _ => throw new ArgumentException($"The threshold '{expression}' is on '{name}'; of a status code Percent and Count are known."),
        };
        return (ok, fail) => holds(measure(ok.StatusCodes.Find(code) ?? fail.StatusCodes.Find(code)));
    }

    private static (string Name, Func<double, bool> Holds) Comparison(string text, string expression)
    {
        var match = Rule().Match(text ?? "");
        if (!match.Success)
        {
            throw new ArgumentException($"The threshold '{expression}' is no comparison such as \"p75 < 80\".");
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

/// <summary>The arguments of a command line.</summary>
internal static class CommandLineArguments
{
    /// <exception cref="ArgumentException">An argument is not known, or has no value.</exception>
    public static NBomberContext Apply(NBomberContext context, IReadOnlyList<string> args)
    {
        for (var index = 0; index < args.Count;)
        {
            var parts = args[index].Split('=', 2);
            var values = parts.Skip(1)
                .Concat(args.Skip(index + 1).TakeWhile(value => !value.StartsWith('-'))).ToArray();
            index += 1 + values.Length - (parts.Length - 1);
            context = With(context, parts[0], values);
        }

        return context;
    }

    private static NBomberContext With(NBomberContext context, string name, string[] values)
    {
        string Single() => values.Length == 1
            ? values[0]
            : throw new ArgumentException($"The argument {name} has {values.Length} values ({string.Join(" ", values)}); it takes one.");
        return name switch
        {
            "-c" or "--config" => context with { Settings = SettingsReader.Read(Single()) },
            "-i" or "--infra" => context with { InfraConfig = SettingsReader.ReadInfra(Single()) },
            "-t" or "--target" => values.Length > 0
                ? context with { TargetScenarios = values }
                : throw new ArgumentException($"The argument {name} names no scenario."),
            "--session-id" => context with { SessionId = Single() },
            "--display-console-metrics" => context with { PrintsByArgument = bool.Parse(Single()) },
            "--license" => context,
            _ => throw new ArgumentException(
                $"The argument {name} is not known; known are --config, --infra, --target, --session-id and --display-console-metrics. "
                + "There is no cluster."),
        };
    }
}

/// <summary>Text from a file or a URL.</summary>
internal static class SourceText
{
    public static string Read(string path)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        if (!path.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
            && !path.StartsWith("https://", StringComparison.OrdinalIgnoreCase))
        {
            return File.ReadAllText(path);
        }

        using var client = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
        return Task.Run(() => client.GetStringAsync(new Uri(path))).GetAwaiter().GetResult();
    }
}

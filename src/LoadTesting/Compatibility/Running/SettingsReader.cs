using Foundation;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>Reads JSON configurations, from a file, from a URL, or as they are.</summary>
internal static class SettingsReader
{
    private static readonly string[] s_loads =
    [
        "RampingConstant", "KeepConstant", "RampingInject", "Inject", "InjectRandom", "IterationsForConstant",
        "IterationsForInject", "Pause",
    ];

    public static IConfiguration None { get; } = new ConfigurationBuilder().Build();

    /// <exception cref="ArgumentException">It cannot be read, or says of the log what is not known; the message names
    /// it.</exception>
    public static IConfiguration ReadInfra(string path) => Known(path, Parse(path), ConfigurationKeys.InfraViolations);

    /// <exception cref="ArgumentException">It cannot be read, or says what is not known; the message names
    /// it.</exception>
    public static SessionSettings Read(string path)
    {
        var json = Known(path, Parse(path), ConfigurationKeys.Violations);
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
                DisplayConsoleMetrics = FlagOf(json, "DisplayConsoleMetrics")
                    ?? FlagOf(globals, "DisplayConsoleMetrics"),
                EnableHintsAnalyzer = FlagOf(globals, "EnableHintsAnalyzer"),
                EnableStopTestForcibly = FlagOf(globals, "EnableStopTestForcibly"),
            };
        }
        catch (Exception exception) when (exception is not ArgumentException { ParamName: null })
        {
            throw new ArgumentException(
                $"The configuration '{Excerpt(path)}' cannot be read: {UserMessage.Of(exception)}", exception);
        }
    }

    private static IConfiguration Known(
        string path, IConfiguration json, Func<IConfiguration, IEnumerable<string>> violations) =>
        violations(json).ToArray() is { Length: > 0 } found
            ? throw new ArgumentException(
                $"The configuration '{Excerpt(path)}' cannot be read: {string.Join(" ", found)}")
            : json;

    private static ScenarioSettings ScenarioOf(IConfigurationSection section)
    {
        var name = section["ScenarioName"]
            ?? throw new ArgumentException($"{section.Path} of the configuration has no ScenarioName.");
        return new()
        {
            ScenarioName = name,
            WarmUpDuration = TimeOf(section.GetSection("WarmUpDuration")),
            LoadSimulations = List(section, "LoadSimulationsSettings", SimulationOf) is { } load
                ? ScaledLoad.Checked(name, load)
                : null,
            Thresholds = List(section, "ThresholdSettings", ThresholdText.Parse)?.SelectMany(thresholds => thresholds)
                .ToArray(),
            CustomSettings = section.GetSection("CustomSettings"),
            MaxFailCount = NumberOf(section.GetSection("MaxFailCount")),
            Weight = NumberOf(section.GetSection("Weight")),
        };
    }

    private static LoadSimulation SimulationOf(IConfigurationSection section)
    {
        var children = section.GetChildren().ToArray();
        if (children is not [var simulation])
        {
            throw new ArgumentException(
                $"{section.Path} of the configuration names {children.Length} loads "
                    + $"({string.Join(", ", children.Select(one => one.Key))}); "
                + "it names one: { \"KeepConstant\": [1, \"00:00:30\"] }.");
        }

        try
        {
            return SimulationOf(section, simulation);
        }
        catch (ArgumentException exception) when (exception.ParamName is not null)
        {
            throw new ArgumentException(
                $"{simulation.Path} of the configuration: {UserMessage.Of(exception)}", exception);
        }
    }

    private static LoadSimulation SimulationOf(IConfigurationSection section, IConfigurationSection simulation)
    {
        var values = simulation.GetChildren().DefaultIfEmpty(simulation).ToArray();
        int Number(int index) => NumberOf(values[index])
            ?? throw new FormatException($"{values[index].Path} is empty. It is a whole number.");
        TimeSpan Time(int index) => BuiltIn.DurationText.Read(values[index].Value, values[index].Path);
        var key = Array.Find(s_loads, load => load.Equals(simulation.Key, StringComparison.OrdinalIgnoreCase));
        return (key, values.Length) switch
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
                $"{section.Path} of the configuration has a load '{simulation.Key}' with {values.Length} values; the "
                    + $"nearest is '{ConfigurationKeys.Nearest(simulation.Key, s_loads)}'. Known are RampingConstant "
                    + "and KeepConstant [copies, during], RampingInject and Inject [rate, interval, during], "
                    + "InjectRandom [minRate, maxRate, interval, during], IterationsForConstant [copies, iterations], "
                    + "IterationsForInject [rate, interval, iterations] and Pause during."),
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
                $"The configuration '{Excerpt(path)}' cannot be read: "
                    + $"{UserMessage.Of(exception.InnerException ?? exception)}", exception);
        }
    }

    private static string Texts(string path) => path.TrimStart().StartsWith('{') ? path : SourceText.Read(path);

    /// <summary>Null if the key is missing; an empty list is one.</summary>
    private static IReadOnlyList<T> List<T>(IConfiguration parent, string key, Func<IConfigurationSection, T> of) =>
        parent.GetChildren().FirstOrDefault(
            child => child.Key.Equals(key, StringComparison.OrdinalIgnoreCase)) is { } section
            ? [.. section.GetChildren().Select(of)]
            : null;

    private static TimeSpan? TimeOf(IConfigurationSection section) =>
        section.Value is { } text ? BuiltIn.DurationText.Read(text, section.Path) : null;

    /// <exception cref="FormatException">The value is not a whole number; the message names it.</exception>
    internal static int? NumberOf(IConfigurationSection section) => section.Value is not { } text ? null
        : int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) ? number
        : throw new FormatException($"{section.Path} is '{text}'. It is a whole number of at most {int.MaxValue}.");

    private static bool? FlagOf(IConfiguration parent, string key) =>
        parent.GetSection(key) is not { Value: { } text } section ? null
        : bool.TryParse(text, out var flag) ? flag
        : throw new FormatException($"{section.Path} is '{text}'. It is true or false.");

    private static ReportFormat FormatOf(string text) =>
        Enum.TryParse<ReportFormat>(text, ignoreCase: true, out var format)
        && Enum.IsDefined(format)
        ? format
        : throw new ArgumentException(
            $"'{text}' is not a report format, only {string.Join(", ", Enum.GetNames<ReportFormat>())} are.");

    private static string Excerpt(string text) => text.Length <= 80 ? text : text[..80] + "...";
}

using System.Data;
using System.Net;
using LoadTesting.Configuration;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;
using Serilog.Events;

namespace LoadTesting.Contracts;

/// <summary>Takes values of metrics that are not latencies; the reports have a table of them.</summary>
public interface IMetricsProvider
{
    /// <param name="metricName">Unique.</param>
    /// <param name="measureUnit">Its unit; may be empty.</param>
    /// <param name="scalingFraction">Has no effect: values are kept as they are.</param>
    /// <param name="metricType">What it is.</param>
    void RegisterMetric(string metricName, string measureUnit, double scalingFraction, MetricType metricType);

    /// <exception cref="ArgumentException">The metric was not registered.</exception>
    void PublishMetric(string metricName, double value);
}

/// <summary>What sinks and plugins get to see.</summary>
public interface IBaseContext
{
    TestInfo TestInfo { get; }
    NodeInfo GetNodeInfo();
    ILogger Logger { get; }
    IMetricsProvider MetricsProvider { get; }
}

/// <summary>A scenario that is about to start.</summary>
public sealed record ScenarioStartInfo(string ScenarioName, int SortIndex);

/// <summary>The scenarios that are about to start.</summary>
public sealed record SessionStartInfo(ScenarioStartInfo[] Scenarios);

/// <summary>
/// Saves what is measured, while it runs and at the end. Called one call after the other, beside the load. Implement one of the two
/// <c>Start</c>: the one without an argument is NBomber 4's.
/// </summary>
public interface IReportingSink : IDisposable
{
    string SinkName { get; }

    /// <summary>Before anything starts; an exception ends the session.</summary>
    Task Init(IBaseContext context, IConfiguration infraConfig);

    Task Start(SessionStartInfo sessionInfo) => Start();

    Task Start() => Task.CompletedTask;

    /// <summary>What each reporting interval measured, by itself.</summary>
    Task SaveRealtimeStats(ScenarioStats[] stats);

    Task SaveFinalStats(NodeStats stats);

    /// <summary>After everything was saved.</summary>
    Task Stop();
}

/// <summary>
/// Works beside the load and adds tables to the reports. Of the two <c>Start</c> implement one, as of <see cref="IReportingSink"/>.
/// </summary>
public interface IWorkerPlugin : IDisposable
{
    string PluginName { get; }

    /// <summary>Before anything starts; an exception ends the session.</summary>
    Task Init(IBaseContext context, IConfiguration infraConfig);

    Task Start(SessionStartInfo sessionInfo) => Start();

    Task Start() => Task.CompletedTask;

    Task<DataSet> GetStats(NodeStats stats);

    string[] GetHints();

    Task Stop();
}

/// <summary>What of a session is reported, and where to.</summary>
public sealed record ReportingContext
{
    public string FolderName { get; internal init; }
    public string FileName { get; internal init; }
    public IReadOnlyList<IReportingSink> Sinks { get; internal init; } = [];

    public IReadOnlyList<ReportFormat> Formats { get; internal init; } =
        [ReportFormat.Txt, ReportFormat.Html, ReportFormat.Csv, ReportFormat.Md];

    /// <summary>At least 1 s, whole seconds. Default 5 s.</summary>
    public TimeSpan ReportingInterval { get; internal init; } = TimeSpan.FromSeconds(5);

    internal Func<ReportData, ReportData> Finalizer { get; init; }
}

/// <summary>A session before it runs. Immutable: every <c>With</c> returns a new value.</summary>
public sealed record NBomberContext
{
    public static NBomberContext Empty { get; } = new();

    public string TestSuite { get; internal init; } = "nbomber_default_test_suite_name";
    public string TestName { get; internal init; } = "nbomber_default_test_name";
    public IReadOnlyList<ScenarioProps> RegisteredScenarios { get; internal init; } = [];
    public IConfiguration InfraConfig { get; internal init; }
    public Func<LoggerConfiguration> CreateLoggerConfig { get; internal init; }
    public ReportingContext Reporting { get; internal init; } = new();
    public IReadOnlyList<IWorkerPlugin> WorkerPlugins { get; internal init; } = [];
    public bool EnableHintsAnalyzer { get; internal init; }
    public IReadOnlyList<string> TargetScenarios { get; internal init; }
    public LogEventLevel? MinimumLogLevel { get; internal init; }
    public bool EnableStopTestForcibly { get; internal init; }

    /// <summary>How long iterations may still run when nothing more starts. Default 60 s.</summary>
    internal TimeSpan CompletionTimeout { get; init; } = TimeSpan.FromSeconds(60);

    internal string SessionId { get; init; }

    internal bool PrintsToConsole { get; init; } = true;

    /// <summary>What the command line says of it; it goes before everything else.</summary>
    internal bool? PrintsByArgument { get; init; }

    /// <summary>What a JSON configuration says; it goes before what the code says.</summary>
    public NBomberConfig NBomberConfig => Settings;

    internal SessionSettings Settings { get; init; } = new();
}

/// <summary>All of a JSON configuration; null is what it does not mention.</summary>
internal sealed record SessionSettings : NBomberConfig
{
    public IReadOnlyList<ScenarioSettings> Scenarios { get; init; } = [];
    public IConfiguration GlobalCustomSettings { get; init; }
    public string ReportFileName { get; init; }
    public string ReportFolder { get; init; }
    public IReadOnlyList<ReportFormat> ReportFormats { get; init; }
    public TimeSpan? ReportingInterval { get; init; }
    public TimeSpan? CompletionTimeout { get; init; }
    public bool? DisplayConsoleMetrics { get; init; }
    public bool? EnableHintsAnalyzer { get; init; }
    public bool? EnableStopTestForcibly { get; init; }
}

/// <summary>What a JSON configuration says about a scenario.</summary>
internal sealed record ScenarioSettings
{
    public string ScenarioName { get; init; }

    /// <summary>Null is no warm-up here: a scenario with settings has only the warm-up that they name.</summary>
    public TimeSpan? WarmUpDuration { get; init; }

    public IReadOnlyList<LoadSimulation> LoadSimulations { get; init; }
    public IReadOnlyList<Threshold> Thresholds { get; init; }
    public IConfiguration CustomSettings { get; init; }
    public int? MaxFailCount { get; init; }
    public int? Weight { get; init; }
}

/// <summary>
/// Finds statistics by name: <c>Get</c> throws where there are none, <c>Find</c> returns null. A status code is also found by its HTTP
/// number: "200" finds "OK".
/// </summary>
public static class StatsExtensions
{
    public static ScenarioStats Get(this ScenarioStats[] scenarioStats, string name) =>
        Found(scenarioStats.Find(name), "scenario", name, scenarioStats.Select(scenario => scenario.ScenarioName));

    public static ScenarioStats Find(this ScenarioStats[] scenarioStats, string name) =>
        Array.Find(scenarioStats, scenario => scenario.ScenarioName == name);

    public static bool Exists(this ScenarioStats[] scenarioStats, string name) => scenarioStats.Find(name) is not null;

    public static StepStats Get(this StepStats[] stepStats, string name) =>
        Found(stepStats.Find(name), "step", name, stepStats.Select(step => step.StepName));

    public static StepStats Find(this StepStats[] stepStats, string name) => Array.Find(stepStats, step => step.StepName == name);

    public static bool Exists(this StepStats[] stepStats, string name) => stepStats.Find(name) is not null;

    public static StatusCodeStats Get(this StatusCodeStats[] statusCodes, string statusCode) =>
        Found(statusCodes.Find(statusCode), "status code", statusCode, statusCodes.Select(code => code.StatusCode));

    public static StatusCodeStats Find(this StatusCodeStats[] statusCodes, string statusCode) =>
        Array.Find(statusCodes, code => code.StatusCode == statusCode)
        ?? (int.TryParse(statusCode, out var number) && Enum.IsDefined((HttpStatusCode)number)
            ? Array.Find(statusCodes, code => code.StatusCode == ((HttpStatusCode)number).ToString())
            : null);

    public static bool Exists(this StatusCodeStats[] statusCodes, string statusCode) => statusCodes.Find(statusCode) is not null;

    private static T Found<T>(T found, string what, string name, IEnumerable<string> all)
        where T : class =>
        found ?? throw new KeyNotFoundException($"There is no {what} '{name}', only {string.Join(", ", all.Select(one => $"'{one}'"))}.");
}

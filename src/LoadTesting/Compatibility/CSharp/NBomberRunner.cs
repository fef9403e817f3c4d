using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.Running;
using Serilog;
using Serilog.Events;

namespace LoadTesting.CSharp;

/// <summary>Runs scenarios as a session. What a JSON configuration says goes before what the code says.</summary>
public static class NBomberRunner
{
    /// <summary>A session of these scenarios, which run at the same time.</summary>
    public static NBomberContext RegisterScenarios(params ScenarioProps[] scenarios) =>
        new() { RegisteredScenarios = scenarios ?? throw new ArgumentNullException(nameof(scenarios)) };

    /// <summary>Only these scenarios run. Default: all.</summary>
    public static NBomberContext WithTargetScenarios(this NBomberContext context, params string[] scenarioNames) =>
        context with { TargetScenarios = scenarioNames };

    public static NBomberContext WithTestSuite(this NBomberContext context, string testSuite) =>
        context with { TestSuite = testSuite };

    public static NBomberContext WithTestName(this NBomberContext context, string testName) =>
        context with { TestName = testName };

    /// <summary>Default: a date and a random number.</summary>
    public static NBomberContext WithSessionId(this NBomberContext context, string sessionId) =>
        context with { SessionId = sessionId };

    /// <summary>Without its extension. Default: <c>nbomber_report_</c> and the time.</summary>
    public static NBomberContext WithReportFileName(this NBomberContext context, string reportFileName) =>
        context with { Reporting = context.Reporting with { FileName = reportFileName } };

    /// <summary>Default: <c>reports/</c> and the session's id. Nothing in it is deleted.</summary>
    public static NBomberContext WithReportFolder(this NBomberContext context, string reportFolderPath) =>
        context with { Reporting = context.Reporting with { FolderName = reportFolderPath } };

    public static NBomberContext WithReportFormats(this NBomberContext context, params ReportFormat[] reportFormats) =>
        context with { Reporting = context.Reporting with { Formats = reportFormats } };

    public static NBomberContext WithoutReports(this NBomberContext context) =>
        context with { Reporting = context.Reporting with { Formats = [] } };

    /// <summary>
    /// How often sinks get statistics and thresholds are checked: whole seconds, at least 1. Default 5 s.
    /// </summary>
    public static NBomberContext WithReportingInterval(this NBomberContext context, TimeSpan interval) =>
        context with { Reporting = context.Reporting with { ReportingInterval = interval } };

    public static NBomberContext WithReportingSinks(
        this NBomberContext context, params IReportingSink[] reportingSinks) =>
        context with { Reporting = context.Reporting with { Sinks = reportingSinks } };

    /// <summary>Changes what the reports are made of, not the result.</summary>
    public static NBomberContext WithReportFinalizer(
        this NBomberContext context, Func<ReportData, ReportData> finalizer) =>
        context with { Reporting = context.Reporting with { Finalizer = finalizer } };

    public static NBomberContext WithWorkerPlugins(this NBomberContext context, params IWorkerPlugin[] plugins) =>
        context with { WorkerPlugins = plugins };

    /// <summary>Reads a JSON configuration.</summary>
    /// <param name="context">The session.</param>
    /// <param name="path">A file, a URL, or the JSON itself.</param>
    public static NBomberContext LoadConfig(this NBomberContext context, string path) =>
        context with { Settings = SettingsReader.Read(path) };

    /// <summary>Reads the configuration of sinks, plugins and log levels.</summary>
    /// <inheritdoc cref="LoadConfig"/>
    public static NBomberContext LoadInfraConfig(this NBomberContext context, string path) =>
        context with { InfraConfig = SettingsReader.ReadInfra(path) };

    public static NBomberContext WithMinimumLogLevel(this NBomberContext context, LogEventLevel level) =>
        context with { MinimumLogLevel = level };

    /// <summary>The logger of scenarios, sinks and plugins in place of a file in the report folder.</summary>
    public static NBomberContext WithLoggerConfig(
        this NBomberContext context, Func<LoggerConfiguration> createLoggerConfig) =>
        context with { CreateLoggerConfig = createLoggerConfig };

    /// <summary>Adds to the reports what might be better, by the analyzer and the plugins. Default: no.</summary>
    public static NBomberContext EnableHintsAnalyzer(this NBomberContext context, bool enable) =>
        context with { EnableHintsAnalyzer = enable };

    /// <summary>Waits a second for running iterations, not the completion timeout. Default: no.</summary>
    public static NBomberContext EnableStopTestForcibly(this NBomberContext context, bool enable) =>
        context with { EnableStopTestForcibly = enable };

    /// <summary>
    /// How long iterations may still run when nothing more starts; then they are counted as unfinished. Default 60 s.
    /// </summary>
    public static NBomberContext WithScenarioCompletionTimeout(this NBomberContext context, TimeSpan timeout) =>
        context with { CompletionTimeout = timeout };

    /// <summary>Whether the result is printed. Default: yes.</summary>
    public static NBomberContext DisplayConsoleMetrics(this NBomberContext context, bool enable) =>
        context with { PrintsToConsole = enable };

    /// <summary>Has no effect: there is nothing to license.</summary>
    public static NBomberContext WithLicense(this NBomberContext context, string license) => context;

    /// <summary>Runs the session and waits for its end.</summary>
    /// <exception cref="ArgumentException">The session cannot be run; the message lists everything that is
    /// wrong.</exception>
    /// <exception cref="InvalidOperationException">Preparing failed.</exception>
    public static NodeStats Run(this NBomberContext context) => Run(context, []);

    /// <param name="context">The session.</param>
    /// <param name="args"><c>--config</c>, <c>--infra</c>, <c>--target</c>, <c>--session-id</c>; they go before
    /// everything else.</param>
    /// <inheritdoc cref="Run(NBomberContext)"/>
    public static NodeStats Run(this NBomberContext context, params string[] args)
    {
        ArgumentNullException.ThrowIfNull(context);
        var session = new Session(CommandLineArguments.Apply(context, args ?? []), TimeProvider.System);

        // On the pool: a caller's synchronisation context must not be waited for by what waits for it.
        return Task.Run(session.RunAsync).GetAwaiter().GetResult();
    }
}

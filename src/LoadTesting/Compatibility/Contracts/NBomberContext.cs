using LoadTesting.Configuration;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;
using Serilog.Events;

namespace LoadTesting.Contracts;

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

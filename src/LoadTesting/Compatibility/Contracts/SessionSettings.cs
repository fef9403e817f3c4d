using LoadTesting.Configuration;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Contracts;

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

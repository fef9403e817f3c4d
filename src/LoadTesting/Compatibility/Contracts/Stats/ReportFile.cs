namespace LoadTesting.Contracts.Stats;

/// <summary>A report as it was written.</summary>
public sealed record ReportFile(string FilePath, ReportFormat ReportFormat, string ReportContent);

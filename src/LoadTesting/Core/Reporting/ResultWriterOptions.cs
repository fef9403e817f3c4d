namespace LoadTesting.Core.Reporting;

/// <summary>Where and as what a run is written.</summary>
public sealed record ResultWriterOptions
{
    /// <summary>Directory that holds the runs; created when absent. Each run gets a directory of its own in it.</summary>
    public required string ResultsDirectory { get; init; }

    /// <summary>A directory of the repository under test: its commit names the run. Default: the current directory.</summary>
    public string RepositoryDirectory { get; init; } = Environment.CurrentDirectory;

    /// <summary>The clock that dates the run. Default: the system's.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

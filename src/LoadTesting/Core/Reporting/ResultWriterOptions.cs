namespace LoadTesting.Core.Reporting;

/// <summary>Settings of a <see cref="ResultWriter"/>.</summary>
public sealed record ResultWriterOptions
{
    /// <summary>Directory that holds the runs; created when absent. Each run gets a new directory in it.</summary>
    public required string ResultsDirectory { get; init; }

    /// <summary>
    /// A directory of the repository under test: its commit names the run. Default: the current directory.
    /// </summary>
    public string RepositoryDirectory { get; init; } = Environment.CurrentDirectory;

    /// <summary>
    /// Directory of the accepted baselines that the report sets the run beside. Default: that of the machine's class in
    /// the repository.
    /// </summary>
    public string? BaselineDirectory { get; init; }

    /// <summary>The clock that dates the run. Default: the system's.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

namespace PerformanceTesting.Processes;

/// <summary>What a finished command left behind.</summary>
/// <param name="CommandLine">The command as typed, for messages.</param>
/// <param name="ExitCode">0 means success by convention of the command.</param>
/// <param name="Output">Standard output, whole.</param>
/// <param name="Error">Standard error, whole.</param>
public sealed record CommandResult(string CommandLine, int ExitCode, string Output, string Error)
{
    public bool Succeeded => ExitCode == 0;

    /// <summary>One text that says what was run, how it ended and what it wrote.</summary>
    public string Describe() => $"'{CommandLine}' ended with exit code {ExitCode}.{Environment.NewLine}{Output}{Error}".TrimEnd();
}

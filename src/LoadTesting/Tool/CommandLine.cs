using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Tool;

internal static class CommandLine
{
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, ToolConsole console, CancellationToken cancellationToken = default)
    {
        var root = new RootCommand(
            "Runs performance scenarios, compares and gates runs, renders reports, and checks whether a machine is fit to measure on."
            + $"\n\nExit codes:\n{string.Join("\n", ExitCode.Table.Select(row => $"  {row.Code,-4}{row.Meaning}"))}");
        root.Add(RunCommand.Create(console));
        root.Add(WatchCommand.Create(console));
        root.Add(CompareCommand.Create(console));
        root.Add(GateCommand.Create(console));
        root.Add(ReportCommand.Create(console));
        root.Add(BaselineCommand.Create(console));
        root.Add(MergeCommand.Create(console));
        root.Add(HistoryCommand.Create(console));
        root.Add(DoctorCommand.Create(console));
        root.Add(SweepCommand.Create(console));
        root.Add(CompletionsCommand.Create(console));
        root.Add(EmptyService.Create(console));
        var parsed = root.Parse(arguments);
        if (parsed.Errors.Count > 0 && arguments is not [['[', ..], ..])
        {
            foreach (var error in parsed.Errors)
            {
                await console.Error.WriteLineAsync($"wfperf: {error.Message}").ConfigureAwait(false);
            }

            await console.Error.WriteLineAsync("'wfperf --help' and 'wfperf <verb> --help' list what there is.").ConfigureAwait(false);
            return ExitCode.BadInput;
        }

        var configuration = new InvocationConfiguration
        {
            Output = console.Out, Error = console.Error, EnableDefaultExceptionHandler = false,
        };
        if (parsed.CommandResult.Command.Name == RunCommand.Name)
        {
            // A run ends its load in order, which takes longer than the two seconds that others have.
            configuration.ProcessTerminationTimeout = null;
        }

        try
        {
            foreach (var path in arguments.Where(Path.Exists))
            {
                foreach (var finished in await UnfinishedRuns.FinishAsync(path, cancellationToken).ConfigureAwait(false))
                {
                    await console.Error.WriteLineAsync($"wfperf: {finished}").ConfigureAwait(false);
                }
            }

            return await parsed.InvokeAsync(configuration, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException)
        {
            // The messages of these name the file; a stack trace would only hide it.
            await console.Error.WriteLineAsync($"wfperf: {exception.Message}").ConfigureAwait(false);
            return ExitCode.BadInput;
        }
        catch (OperationCanceledException exception)
        {
            await console.Error.WriteLineAsync($"wfperf: {exception.Message}").ConfigureAwait(false);
            return ExitCode.Interrupted;
        }
    }
}

/// <summary>What the tool ends with.</summary>
internal static class ExitCode
{
    public const int Success = 0;

    /// <summary>The tool worked, and found something that has to be put right.</summary>
    public const int Findings = 1;

    /// <summary>The input cannot be used: unknown arguments, a missing file, a file that is no result.</summary>
    public const int BadInput = 2;

    /// <summary>The tool worked, and the evidence does not suffice for a verdict.</summary>
    public const int Inconclusive = 3;

    /// <summary>Somebody ended it, as a shell reports Ctrl+C.</summary>
    public const int Interrupted = 130;

    /// <summary>All of them, for people.</summary>
    public static IReadOnlyList<(int Code, string Meaning)> Table { get; } =
    [
        (Success, "Done: every scenario passed, the candidate has not regressed, the baseline is kept."),
        (Findings, "Something has to be put right: a scenario failed, a regression, a refused baseline, a run that was killed."),
        (BadInput, "The input cannot be used: an unknown name, a missing file, a profile that is not available. The message says which."),
        (Inconclusive, "The evidence does not suffice for a verdict: measure again, on a quieter machine."),
        (Interrupted, "Somebody interrupted it: what a run had by then is kept, marked partial."),
    ];
}

/// <param name="Out">What was asked for.</param>
/// <param name="Error">What went wrong.</param>
/// <param name="IsStyled">Whether <paramref name="Out"/> takes colour and ruled tables; else plain text.</param>
/// <param name="Progress">Shows what a run does while it goes on; null where nobody looks.</param>
internal sealed record ToolConsole(TextWriter Out, TextWriter Error, bool IsStyled, IProgressOutput? Progress = null)
{
    public static ToolConsole OfProcess()
    {
        var isTerminal = !Console.IsOutputRedirected && Environment.GetEnvironmentVariable("TERM") != "dumb";
        var isStyled = MayStyle(Console.IsOutputRedirected, Environment.GetEnvironmentVariable);
        return new(Console.Out, Console.Error, isStyled, isTerminal
            ? new ProgressTable(Console.Out, () => Console.WindowWidth, isStyled)
            : new ProgressLines(Console.Out.WriteLine));
    }

    /// <summary>A terminal that nobody has asked to be plain: https://no-color.org, and <c>TERM=dumb</c>.</summary>
    public static bool MayStyle(bool isRedirected, Func<string, string?> variable) =>
        !isRedirected && string.IsNullOrEmpty(variable("NO_COLOR")) && variable("TERM") != "dumb";
}

/// <summary>Files that are replaced whole.</summary>
internal static class OutputFile
{
    /// <summary>Writes text in UTF-8; the directory is made when it is missing.</summary>
    /// <param name="inputs">Files that were read and must not be written over.</param>
    /// <exception cref="FormatException">The path is a directory, or one of the inputs.</exception>
    public static async Task WriteAsync(string path, string text, IEnumerable<string> inputs, CancellationToken cancellationToken)
    {
        var full = Path.GetFullPath(path);
        if (Directory.Exists(full))
        {
            throw new FormatException($"{path}: is a directory. Name the file to write.");
        }

        if (inputs.Any(input => Path.GetFullPath(input) == full))
        {
            throw new FormatException($"{path}: was read, and is not written over. Name another file.");
        }

        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        var temporary = full + ".tmp";
        var encoding = new UTF8Encoding(encoderShouldEmitUTF8Identifier: false);
        await File.WriteAllTextAsync(temporary, text, encoding, cancellationToken).ConfigureAwait(false);
        File.Move(temporary, full, overwrite: true);
    }
}

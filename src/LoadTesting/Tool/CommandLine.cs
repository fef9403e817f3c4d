using System.CommandLine;

namespace LoadTesting.Tool;

/// <summary>The verbs of <c>wfperf</c>.</summary>
internal static class CommandLine
{
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, ToolConsole console, CancellationToken cancellationToken = default)
    {
        var root = new RootCommand("Compares performance runs, renders their reports, and checks whether a machine is fit to measure on.");
        root.Add(CompareCommand.Create(console));
        root.Add(GateCommand.Create(console));
        root.Add(ReportCommand.Create(console));
        root.Add(BaselineCommand.Create(console));
        root.Add(MergeCommand.Create(console));
        root.Add(HistoryCommand.Create(console));
        root.Add(DoctorCommand.Create(console));
        var parsed = root.Parse(arguments);
        if (parsed.Errors.Count > 0)
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
        try
        {
            return await parsed.InvokeAsync(configuration, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException)
        {
            // The messages of these name the file; a stack trace would only hide it.
            await console.Error.WriteLineAsync($"wfperf: {exception.Message}").ConfigureAwait(false);
            return ExitCode.BadInput;
        }
    }
}

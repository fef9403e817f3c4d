using Foundation;
using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Tool;

internal static class CommandLine
{
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, ToolConsole console, CancellationToken cancellationToken = default)
    {
        var root = new RootCommand(
            "Runs performance scenarios, compares and gates runs, renders reports, "
                + "and checks whether a machine is fit to measure on."
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

            await console.Error.WriteLineAsync("'wfperf --help' and 'wfperf <verb> --help' list what there is.")
                .ConfigureAwait(false);
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
                foreach (var finished in await UnfinishedRuns.FinishAsync(path, cancellationToken)
                    .ConfigureAwait(false))
                {
                    await console.Error.WriteLineAsync($"wfperf: {finished}").ConfigureAwait(false);
                }
            }

            return await parsed.InvokeAsync(configuration, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is FormatException or IOException or UnauthorizedAccessException)
        {
            // The messages of these name the file; a stack trace would only hide it.
            await console.Error.WriteLineAsync($"wfperf: {UserMessage.Of(exception)}").ConfigureAwait(false);
            return ExitCode.BadInput;
        }
        catch (OperationCanceledException exception)
        {
            await console.Error.WriteLineAsync($"wfperf: {exception.Message}").ConfigureAwait(false);
            return ExitCode.Interrupted;
        }
    }
}

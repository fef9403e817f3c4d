using Foundation;
using LoadTesting.Core.Reporting.Live;

namespace LoadTesting.Tool;

/// <summary><c>wfperf watch</c>: follows a run from elsewhere.</summary>
internal static class WatchCommand
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    public static Command Create(ToolConsole console)
    {
        var path = new Argument<string>("path")
        {
            Description = "A run's directory, a results directory (the run in it with the latest update), or a file "
                + $"{ProgressFile.FileName}.",
        };
        var once = new Option<bool>("--once") { Description = "Print the state of the run and end." };
        var command = new Command(
            "watch", "Follows a run of wfperf or dotnet test until it ends, is interrupted or is killed. Exit code 0 "
                + "if nothing failed.");
        command.Add(path);
        command.Add(once);
        command.SetAction((parsed, cancellationToken) =>
            RunAsync(console, parsed.GetRequiredValue(path), parsed.GetValue(once), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, string path, bool once, CancellationToken cancellationToken)
    {
        var file = ProgressFile.Find(path);
        var silent = false;
        while (true)
        {
            var run = await ProgressFile.ReadAsync(file, cancellationToken).ConfigureAwait(false);
            var watch = RunWatch.Of(
                run, TimeProvider.System.GetUtcNow(), process => process.IsAlive, Environment.MachineName,
                BootId.Current);
            var isOver = watch.State is not (WatchState.Running or WatchState.Silent);
            if (isOver || once)
            {
                console.Progress?.Dispose();
                foreach (var line in isOver ? [] : ProgressText.Lines(run))
                {
                    await console.Out.WriteLineAsync(line).ConfigureAwait(false);
                }

                await console.Out.WriteLineAsync(watch.Sentence).ConfigureAwait(false);
                return watch.State is WatchState.Running or WatchState.Ended && run.Failed == 0
                    ? ExitCode.Success : ExitCode.Findings;
            }

            if (watch.State == WatchState.Silent && !silent)
            {
                await console.Error.WriteLineAsync($"wfperf: {watch.Sentence}").ConfigureAwait(false);
            }

            silent = watch.State == WatchState.Silent;
            console.Progress?.Show(run);
            await Task.Delay(s_interval, cancellationToken).ConfigureAwait(false);
        }
    }
}

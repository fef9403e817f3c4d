using LoadTesting.Core.Analysis;

namespace LoadTesting.Tool;

/// <summary><c>wfperf merge</c>: runs of the same as one.</summary>
internal static class MergeCommand
{
    public static Command Create(ToolConsole console)
    {
        var runs = new Argument<string[]>("run")
        {
            Description = "A run.json, the file of one scenario, a stored baseline, or a run's directory; at least two.",
            Arity = ArgumentArity.OneOrMore,
        };
        var output = new Option<string>("--output", "-o") { Description = "The file to write.", HelpName = "file", Required = true };
        var command = new Command(
            "merge", "Makes one result of several runs of the same: exact percentiles over all, and each run's own values beside them.");
        command.Add(runs);
        command.Add(output);
        command.SetAction((parsed, cancellationToken) =>
            RunAsync(console, parsed.GetRequiredValue(runs), parsed.GetRequiredValue(output), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(ToolConsole console, string[] runs, string output, CancellationToken cancellationToken)
    {
        var sources = new List<ComparisonSource>();
        foreach (var run in runs)
        {
            sources.Add(await ComparisonSource.LoadAsync(run, cancellationToken).ConfigureAwait(false));
        }

        var merged = RunComposition.Complete(RunMerge.Of(sources));
        await OutputFile.WriteAsync(
            output, ResultJson.Write(merged), runs.Select(ComparisonSource.FileOf), cancellationToken).ConfigureAwait(false);
        foreach (var scenario in merged.Scenarios)
        {
            await console.Out.WriteLineAsync(
                $"{scenario.Name}: {scenario.Runs?.Count ?? 1} of {runs.Length} runs, n {scenario.Latency.N}").ConfigureAwait(false);
        }

        await console.Out.WriteLineAsync($"Written: {output}").ConfigureAwait(false);
        return ExitCode.Success;
    }
}

using LoadTesting.Core.Analysis;

namespace LoadTesting.Tool;

/// <summary><c>wfperf baseline</c>: runs kept to compare with.</summary>
internal static class BaselineCommand
{
    public static Command Create(ToolConsole console)
    {
        var run = new Argument<string>("run")
        {
            Description = "A run.json, the file of one scenario, a run's directory, or a results directory (its latest run).",
        };
        var to = new Option<string?>("--to")
        {
            Description = $"Directory to keep it in; {BaselineStore.Variable} by default, "
                + $"else {BaselineStore.DefaultParent}/<machine class> of the repository.",
            HelpName = "directory",
        };
        var scenarios = new Option<string[]>("--scenario")
        {
            Description = "Keep only scenarios of this full name ('*' and '?' stand for characters, a leading '!' takes away); "
                + "may be given several times.",
            HelpName = "pattern",
        };
        var allowDirty = new Option<bool>("--allow-dirty") { Description = "Accept a run of a work tree with uncommitted changes." };
        var accept = new Command(
            "accept", "Keeps a run as a baseline if it is fit to be one; otherwise says why not. Nothing is ever written over.");
        accept.Add(run);
        foreach (var option in new Option[] { to, scenarios, allowDirty })
        {
            accept.Add(option);
        }

        accept.SetAction((parsed, cancellationToken) => AcceptAsync(
            console, parsed.GetRequiredValue(run), parsed.GetValue(to), parsed.GetValue(scenarios) ?? [], parsed.GetValue(allowDirty),
            cancellationToken));
        return new Command("baseline", "Baselines: runs kept to compare with.") { accept };
    }

    private static async Task<int> AcceptAsync(
        ToolConsole console, string path, string? to, string[] scenarios, bool allowDirty, CancellationToken cancellationToken)
    {
        var source = await ComparisonSource.LoadAsync(path, cancellationToken).ConfigureAwait(false);
        var run = RunSelection.Of(source.Run, scenarios);
        var refusals = BaselineRules.Refusals(run, allowDirty);
        if (refusals.Count > 0)
        {
            foreach (var refusal in refusals)
            {
                await console.Error.WriteLineAsync($"wfperf: {path}: {refusal}").ConfigureAwait(false);
            }

            await console.Error.WriteLineAsync(
                $"wfperf: {path} is no baseline: {refusals.Count} refused. Nothing was written.").ConfigureAwait(false);
            return ExitCode.Findings;
        }

        var setting = to ?? Environment.GetEnvironmentVariable(BaselineStore.Variable);
        var file = await BaselineStore.For(setting, Environment.CurrentDirectory, run.Environment.MachineClass)
            .AddAsync(run, cancellationToken).ConfigureAwait(false);
        await console.Out.WriteLineAsync($"Accepted: {file} ({run.Scenarios.Count} scenarios). Commit it to share it.").ConfigureAwait(
            false);
        return ExitCode.Success;
    }
}

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
        var fitOnly = new Option<bool>("--fit-only")
        {
            Description = "Leave out scenarios that are not fit, each with its reason, and keep the others.",
        };
        var accept = new Command(
            "accept", "Keeps a run as a baseline if it is fit to be one; otherwise says why not. Nothing is ever written over.");
        accept.Add(run);
        foreach (var option in new Option[] { to, scenarios, allowDirty, fitOnly })
        {
            accept.Add(option);
        }

        accept.SetAction(async (parsed, cancellationToken) =>
        {
            var path = parsed.GetRequiredValue(run);
            var source = await ComparisonSource.LoadAsync(path, cancellationToken).ConfigureAwait(false);
            var selected = RunSelection.Of(source.Run, parsed.GetValue(scenarios) ?? []);
            if (parsed.GetValue(fitOnly))
            {
                selected = await FitAsync(console, path, selected).ConfigureAwait(false);
            }

            return await AcceptAsync(console, path, parsed.GetValue(to), selected, parsed.GetValue(allowDirty), cancellationToken)
                .ConfigureAwait(false);
        });
        return new Command("baseline", "Baselines: runs kept to compare with.") { accept };
    }

    /// <summary>The run without the scenarios that speak against it.</summary>
    private static async Task<RunResult> FitAsync(ToolConsole console, string path, RunResult run)
    {
        var unfit = BaselineRules.Refusals(run, allowDirty: true).Where(refusal => refusal.Scenario is not null).ToList();
        foreach (var refusal in unfit)
        {
            await console.Error.WriteLineAsync($"wfperf: {path}: left out: {refusal}").ConfigureAwait(false);
        }

        return RunSelection.Of(run, [.. unfit.Select(refusal => "!" + refusal.Scenario).Distinct()]);
    }

    private static async Task<int> AcceptAsync(
        ToolConsole console, string path, string? to, RunResult run, bool allowDirty, CancellationToken cancellationToken)
    {
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

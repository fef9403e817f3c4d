namespace LoadTesting.Tool;

/// <summary><c>wfperf baseline</c>: runs kept to compare with.</summary>
internal static class BaselineCommand
{
    public static Command Create(ToolConsole console)
    {
        var run = new Argument<string>("run")
        {
            Description =
                "A run.json, the file of one scenario, a run's directory, or a results directory (its latest run).",
        };
        var to = new Option<string?>("--to")
        {
            Description = $"Directory to keep it in; {BaselineStore.Variable} by default, "
                + $"else {BaselineStore.DefaultParent}/<machine class> of the repository.",
            HelpName = "directory",
        };
        var scenarios = new Option<string[]>("--scenario")
        {
            Description =
                "Keep only scenarios of this full name ('*' and '?' stand for characters, a leading '!' takes away); "
                + "may be given several times.",
            HelpName = "pattern",
        };
        var accept = new Command(
            "accept",
            "Keeps a run as a baseline, without failed scenarios. A doubtful result is kept with a warning if there "
                + "is no better one. Existing files are never overwritten.");
        accept.Add(run);
        accept.Add(to);
        accept.Add(scenarios);
        accept.SetAction((parsed, cancellationToken) => AcceptAsync(
            console, parsed.GetRequiredValue(run), parsed.GetValue(to), parsed.GetValue(scenarios) ?? [],
            cancellationToken));
        return new Command("baseline", "Baselines: runs kept to compare with.") { accept };
    }

    private static async Task<int> AcceptAsync(
        ToolConsole console, string path, string? to, string[] patterns, CancellationToken cancellationToken)
    {
        var run = (await ComparisonSource.LoadAsync(path, cancellationToken).ConfigureAwait(false)).Run;
        var selected = RunSelection.Of(run, patterns);
        if (selected.Scenarios.Count == 0 && run.Scenarios.Count > 0)
        {
            throw new FormatException(
                $"{path}: --scenario {string.Join(' ', patterns)} matches none of the run's scenarios: "
                + $"{string.Join(", ", run.Scenarios.Select(scenario => scenario.Name))}.");
        }

        var setting = to ?? Environment.GetEnvironmentVariable(BaselineStore.Variable);
        var stored = await BaselineStore.ReadAsync(
            setting, Environment.CurrentDirectory, run.Environment.MachineClass, cancellationToken)
            .ConfigureAwait(false);
        var choice = BaselineRules.Choose(selected, stored);
        foreach (var remark in choice.LeftOut)
        {
            await console.Error.WriteLineAsync($"wfperf: left out: {remark}").ConfigureAwait(false);
        }

        if (choice.Refusals.Count > 0)
        {
            foreach (var refusal in choice.Refusals)
            {
                await console.Error.WriteLineAsync($"wfperf: {path}: {refusal}").ConfigureAwait(false);
            }

            await console.Error.WriteLineAsync($"wfperf: {path} was not accepted as a baseline. Nothing was written.")
                .ConfigureAwait(false);
            return ExitCode.Findings;
        }

        foreach (var warning in choice.Warnings)
        {
            await console.Error.WriteLineAsync($"wfperf: warning: {warning}").ConfigureAwait(false);
        }

        var file = await BaselineStore.For(setting, Environment.CurrentDirectory, run.Environment.MachineClass)
            .AddAsync(choice.Run, cancellationToken).ConfigureAwait(false);
        await console.Out.WriteLineAsync($"Accepted: {file} ({Kept(choice)}). Commit it to share it.")
            .ConfigureAwait(false);
        return ExitCode.Success;
    }

    private static string Kept(BaselineChoice choice)
    {
        var left = choice.LeftOut.Select(remark => remark.Scenario).Distinct().Count();
        return ScenarioCounts.Of(choice.Run).Number()
            + (left == 0 ? "" : $", {left} left out")
            + (choice.Warnings.Count == 0 ? "" : $", {Quantity.Of(choice.Warnings.Count, "warning")}");
    }
}

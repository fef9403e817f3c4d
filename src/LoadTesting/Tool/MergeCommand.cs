using LoadTesting.Core.Catalogue;
using LoadTesting.Core.Reporting;

namespace LoadTesting.Tool;

/// <summary><c>wfperf merge</c>: runs of the same as one, or the parts of one load.</summary>
internal static class MergeCommand
{
    public static Command Create(ToolConsole console)
    {
        var runs = new Argument<string[]>("run")
        {
            Description =
                "A run.json, the file of a scenario, a stored baseline, or a run's directory; "
                    + "at least two, or all parts of a load.",
            Arity = ArgumentArity.OneOrMore,
        };
        var output = new Option<string>(
            "--output", "-o") { Description = "The file to write.", HelpName = "file", Required = true };
        var services = new Option<string[]>("--service")
        {
            Description =
                "The service that the parts of a load drove, once for each of its processes: "
                    + "the sum of the parts is compared with what it counted. It receives the key in "
                    + $"{CataloguePart.KeyVariable}, if that is set.",
            HelpName = "url",
        };
        var command = new Command(
            "merge", "Merges several runs of the same scenarios into one result, with exact percentiles over all "
                + "runs and the values of each run; or all parts of a load, with a verdict on the whole.");
        command.Add(runs);
        command.Add(output);
        command.Add(services);
        command.SetAction((parsed, cancellationToken) => RunAsync(
            console, parsed.GetRequiredValue(runs), parsed.GetRequiredValue(output), parsed.GetValue(services) ?? [],
            cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(
        ToolConsole console, string[] runs, string output, string[] services, CancellationToken cancellationToken)
    {
        var sources = new List<ComparisonSource>();
        foreach (var run in runs)
        {
            sources.Add(await ComparisonSource.LoadAsync(run, cancellationToken).ConfigureAwait(false));
        }

        var areParts = PartMerge.AreParts(sources);
        if (!areParts && services.Length > 0)
        {
            throw new FormatException(
                "--service applies to the parts of a load, and these are whole runs. Leave it out.");
        }

        var merged = RunComposition.Complete(
            areParts ? await PartsAsync(sources, services, cancellationToken).ConfigureAwait(false)
                : RunMerge.Of(sources));
        await OutputFile.WriteAsync(
            output, ResultJson.Write(merged), runs.Select(ComparisonSource.FileOf), cancellationToken)
            .ConfigureAwait(false);
        foreach (var scenario in merged.Scenarios)
        {
            await console.Out.WriteLineAsync(scenario.Parts is null
                ? $"{scenario.Name}: {scenario.Runs?.Count ?? 1} of {runs.Length} runs, n {scenario.Latency.N}"
                : $"{TerminalSummary.Of(scenario, output)}\n  {StartsApart(scenario)}").ConfigureAwait(false);
        }

        await OutputFile.ReportAsync(console, output).ConfigureAwait(false);
        var outcomes = merged.Scenarios.Where(_ => areParts).Select(scenario => scenario.Verdict.Outcome).ToHashSet();
        return outcomes.Contains(VerdictOutcome.Failed) ? ExitCode.Findings
            : outcomes.Contains(VerdictOutcome.Inconclusive) ? ExitCode.Inconclusive
            : ExitCode.Success;
    }

    private static async Task<RunResult> PartsAsync(
        IReadOnlyList<ComparisonSource> sources, string[] services, CancellationToken cancellationToken)
    {
        var (loaded, named) = (PartMerge.ServicesOf(sources), services.Select(ServiceAddress.Parse).ToList());
        if (!loaded.Order().SequenceEqual(named.Select(service => service.AbsoluteUri).Order()))
        {
            throw new FormatException(
                $"The parts loaded {string.Join(" and ", loaded)}, and --service names "
                + $"{(named.Count == 0 ? "nothing" : string.Join(" and ", named.Select(service => service.AbsoluteUri)))}: their sum is compared with what that service counted. Add "
                + $"{string.Join(' ', loaded.Select(service => $"--service {service}"))}.");
        }

        return PartMerge.Of(
            sources, await ServiceAddress.ReadMetricsAsync(named, cancellationToken).ConfigureAwait(false));
    }

    private static string StartsApart(ScenarioResult scenario) =>
        scenario.Validity!.Checks.Single(check => check.Name == PartMerge.StartsApart).Reason;
}

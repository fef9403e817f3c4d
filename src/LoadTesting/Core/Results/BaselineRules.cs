using System.Globalization;
using System.Text.RegularExpressions;

namespace LoadTesting.Core.Results;

/// <summary>What a run must be to be kept as a baseline: what is not known to be right is refused.</summary>
public static partial class BaselineRules
{
    private const string NotRecorded = "not recorded";

    /// <summary>Everything that speaks against a run, in the order of the run; empty when it can be kept.</summary>
    /// <param name="run">The run.</param>
    /// <param name="allowDirty">Whether uncommitted changes are accepted.</param>
    public static IReadOnlyList<BaselineRefusal> Refusals(RunResult run, bool allowDirty)
    {
        ArgumentNullException.ThrowIfNull(run);
        return [.. OfRun(run, allowDirty), .. run.Scenarios.SelectMany(OfScenario)];
    }

    /// <summary>Whether a run's name can name a file: <c>yyyyMMddTHHmmssZ-commit</c>, with an ending or without.</summary>
    internal static bool IsRunId(string runId) => RunId().IsMatch(runId);

    private static IEnumerable<BaselineRefusal> OfRun(RunResult run, bool allowDirty)
    {
        const string measureAgain = "Measure again with the present version, from a checkout with git.";
        if (!IsRunId(run.RunId))
        {
            yield return new(null, "runId", Quoted(run.RunId), "A baseline is named yyyyMMddTHHmmssZ-commit. " + measureAgain);
        }

        if (run.Commit is null)
        {
            yield return new(null, "commit", NotRecorded, measureAgain);
        }

        if (run.Dirty != false && !allowDirty)
        {
            yield return new(
                null, "dirty", run.Dirty is null ? NotRecorded : "true",
                "Commit or stash the changes and measure again, or keep it all the same with --allow-dirty.");
        }

        var environment = run.Environment;
        foreach (var (field, value) in new[] { ("fingerprint", environment.Fingerprint), ("machineClass", environment.MachineClass) })
        {
            if (value is null)
            {
                yield return new(null, "environment." + field, NotRecorded, measureAgain);
            }
        }

        if (environment.Unoptimised is not { Count: 0 })
        {
            yield return new(
                null, "environment.unoptimised", environment.Unoptimised is { } names ? string.Join(", ", names) : NotRecorded,
                "Build with -c Release or <Optimize>true</Optimize>, and measure again.");
        }

        if (run.Scenarios.Count == 0)
        {
            yield return new(null, "scenarios", "empty", "Name a run that holds results, or fewer restrictions in --scenario.");
        }
    }

    private static IEnumerable<BaselineRefusal> OfScenario(ScenarioResult scenario)
    {
        const string leaveOut = "Measure again, or leave it out with --scenario";
        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            yield return Refuse("verdict.outcome", Reasons(scenario.Verdict));
        }

        if (scenario.Injected is { } injected)
        {
            yield return Refuse("injected", Quoted(injected));
        }

        if (scenario.Validity is not { } validity)
        {
            yield return Refuse("validity", NotRecorded);
        }
        else
        {
            foreach (var check in validity.Checks.Where(check => check.Outcome == CheckOutcome.Failed))
            {
                yield return Refuse("validity.checks." + check.Name, $"failed ({check.Reason})");
            }

            foreach (var veto in validity.Environment.Where(check => check.Outcome == CheckOutcome.Failed))
            {
                yield return Refuse("validity.environment." + veto.Name, $"failed ({veto.Reason})");
            }

            if (validity.WarmUp is { Steady: false })
            {
                yield return Refuse("validity.warmUp.steady", "false");
            }
        }

        if (scenario.Generator?.Health != GeneratorState.Healthy)
        {
            yield return Refuse("generator.health", scenario.Generator is { } bound ? $"bound ({string.Join(' ', bound.Evidence)})" : NotRecorded);
        }

        if (scenario.Ledger is not { } ledger)
        {
            yield return Refuse("ledger", NotRecorded);
        }
        else if (!ledger.Balanced)
        {
            yield return Refuse("ledger.balanced", $"false ({string.Join("; ", ledger.Violations())})");
        }

        if (scenario.DefinitionHash is null)
        {
            yield return Refuse("definitionHash", NotRecorded);
        }

        if (scenario.Latency.N == 0)
        {
            yield return Refuse("latency.n", "0");
        }

        BaselineRefusal Refuse(string field, string value) => new(scenario.Name, field, value, $"{leaveOut} '!{scenario.Name}'.");
    }

    private static string Reasons(VerdictResult verdict) =>
        (verdict.Outcome == VerdictOutcome.Failed ? "failed" : "inconclusive")
        + (verdict.Reasons.Count == 0 ? "" : $" ({string.Join(' ', verdict.Reasons)})");

    private static string Quoted(string text) => string.Create(CultureInfo.InvariantCulture, $"'{text}'");

    [GeneratedRegex(@"^\d{8}T\d{6}Z-[0-9a-f]{7,40}(-[0-9a-z]+)*$")]
    private static partial Regex RunId();
}

namespace LoadTesting.Core.Results;

/// <summary>
/// What of a run becomes a baseline. What was measured to be wrong, or is no measurement, is left out. What is only
/// doubtful, such as a result of a busy machine, is kept with a warning until there is a sound one: a first baseline
/// can be kept on any machine.
/// </summary>
public static partial class BaselineRules
{
    private const string NotRecorded = "not recorded";

    private const string SoundOneIsThere =
        "A sound result of it is among the baselines. Measure again on a machine that does nothing else.";

    /// <summary>Judges a run, scenario by scenario.</summary>
    /// <param name="run">The run; partial results of it are none.</param>
    /// <param name="stored">Baselines that are there already.</param>
    public static BaselineChoice Choose(RunResult run, IReadOnlyList<RunResult> stored)
    {
        var flaws = run.Scenarios.SelectMany(Flaws).Concat(
            run.Capacity.Where(capacity => capacity.ToVerdict().Outcome == VerdictOutcome.Failed).Select(Flaw))
                .ToList();
        var doubts = run.Scenarios.Where(scenario => !flaws.Exists(flaw => flaw.Scenario == scenario.Name))
            .SelectMany(scenario => Doubts(scenario).Select(doubt => (Scenario: scenario, Doubt: doubt)))
            .ToLookup(found => IsStored(found.Scenario, run, stored));
        List<BaselineRemark> leftOut =
            [.. flaws, .. doubts[true].Select(found => found.Doubt with { Remedy = SoundOneIsThere })];
        List<BaselineRemark> warnings = [.. Doubts(run), .. doubts[false].Select(found => found.Doubt)];
        var kept = RunSelection.Of(run, [.. leftOut.Select(remark => "!" + remark.Scenario).Distinct()]);
        return new BaselineChoice(WithWarnings(kept, warnings), [.. Refusals(kept)], leftOut, warnings);
    }

    /// <summary>
    /// Whether a run's name can name a file: <c>yyyyMMddTHHmmssZ-commit</c>, with an ending or without.
    /// </summary>
    internal static bool IsRunId(string runId) => RunId().IsMatch(runId);

    private static IEnumerable<BaselineRemark> Refusals(RunResult run)
    {
        if (!IsRunId(run.RunId))
        {
            yield return new(
                null, "runId", Quoted(run.RunId),
                "A baseline is named yyyyMMddTHHmmssZ-commit. Measure again with the present version.");
        }

        if (run.Environment.MachineClass is null)
        {
            yield return new(null, "environment.machineClass", NotRecorded, "Measure again with the present version.");
        }

        if (run.Partial is { } partial)
        {
            yield return new(null, "partial", Quoted(partial), "Measure again, and let the run come to its end.");
        }

        if (run.Scenarios.Count == 0)
        {
            yield return new(null, "scenarios", "empty", "Nothing of the run can be kept. Measure again.");
        }
    }

    private static IEnumerable<BaselineRemark> Doubts(RunResult run)
    {
        if (run.Commit is null)
        {
            yield return new(
                null, "commit", NotRecorded, "Measure from a checkout with git, so that the baseline names its build.");
        }

        if (run.Dirty != false)
        {
            yield return new(
                null, "dirty", run.Dirty is null ? NotRecorded : "true",
                "Commit before you measure, so that the baseline names its build.");
        }

        if (run.Environment.Unoptimised is not { Count: 0 })
        {
            yield return new(
                null, "environment.unoptimised",
                run.Environment.Unoptimised is { } names ? string.Join(", ", names) : NotRecorded,
                "Build with -c Release or <Optimize>true</Optimize>: times of other code are not those of production.");
        }
    }

    /// <summary>One whose generator was the limit is kept: what was carried is known.</summary>
    private static BaselineRemark Flaw(CapacityResult search) => new(
        search.Name, search.Violations is { Count: > 0 } ? "capacity.violations" : "capacity.outcome",
        Reasons(search.ToVerdict()),
        "Measure it again.");

    /// <summary>What makes a result wrong, or none.</summary>
    private static IEnumerable<BaselineRemark> Flaws(ScenarioResult scenario)
    {
        if (scenario.Verdict.Outcome == VerdictOutcome.Failed)
        {
            yield return Remark(scenario, "verdict.outcome", Reasons(scenario.Verdict));
        }

        if (scenario.Partial is { } partial)
        {
            yield return Remark(scenario, "partial", Quoted(partial));
        }

        if (scenario.Part is { } part)
        {
            yield return new(
                scenario.Name, "part", $"{part}", "Merge all parts with 'wfperf merge', and keep the whole.");
        }

        if (scenario.Injected is { } injected)
        {
            yield return new(
                scenario.Name, "injected", Quoted(injected), "It was made worse on purpose. Measure it without.");
        }

        if (scenario.Latency.N == 0)
        {
            yield return Remark(scenario, "latency.n", "0");
        }
    }

    /// <summary>What makes the figures of a result uncertain.</summary>
    private static IEnumerable<BaselineRemark> Doubts(ScenarioResult scenario)
    {
        if (scenario.Verdict.Outcome == VerdictOutcome.Inconclusive)
        {
            yield return Remark(scenario, "verdict.outcome", Reasons(scenario.Verdict));
        }

        foreach (var check in (scenario.Validity?.Checks ?? []).Where(check => check.Outcome == CheckOutcome.Failed))
        {
            yield return Remark(scenario, "validity.checks." + check.Name, $"failed ({check.Reason})");
        }

        foreach (var veto in (scenario.Validity?.Environment ?? [])
            .Where(check => check.Outcome == CheckOutcome.Failed))
        {
            yield return Remark(scenario, "validity.environment." + veto.Name, $"failed ({veto.Reason})");
        }

        if (scenario.Validity is { WarmUp.Steady: false })
        {
            yield return Remark(scenario, "validity.warmUp.steady", "false");
        }

        if (scenario.Generator?.Health != GeneratorState.Healthy)
        {
            yield return Remark(
                scenario, "generator.health",
                scenario.Generator is { } bound ? $"bound ({string.Join(' ', bound.Evidence)})" : NotRecorded);
        }

        // One that does not balance is the reason of a verdict, and no result that passed is read with one.
        if (scenario.Ledger is null)
        {
            yield return Remark(scenario, "ledger", NotRecorded);
        }

        if (scenario.DefinitionHash is null)
        {
            yield return Remark(scenario, "definitionHash", NotRecorded);
        }
    }

    private static BaselineRemark Remark(ScenarioResult scenario, string field, string value) =>
        new(scenario.Name, field, value, "Measure it again on a machine that does nothing else.");

    private static bool IsStored(ScenarioResult scenario, RunResult run, IReadOnlyList<RunResult> stored) =>
        stored.Any(baseline => baseline.Scenarios.Any(other =>
            other.Name == scenario.Name && other.Hosting == scenario.Hosting && !Flaws(other).Any()
                && !Doubts(other).Any()
            && Comparability.AreAlike(baseline, other, run, scenario)));

    /// <summary>A warning stays with what it is about, so that a reader of the baseline has it.</summary>
    private static RunResult WithWarnings(RunResult run, IReadOnlyList<BaselineRemark> warnings)
    {
        var byScenario =
            warnings.ToLookup(warning => warning.Scenario, warning => $"Baseline with a warning: {warning}");
        return run with
        {
            Notes = [.. run.Notes, .. byScenario[null]],
            Scenarios =
            [
                .. run.Scenarios.Select(scenario => byScenario.Contains(scenario.Name)
                    ? scenario with { Notes = [.. scenario.Notes, .. byScenario[scenario.Name]] }
                    : scenario),
            ],
        };
    }

    private static string Reasons(VerdictResult verdict) =>
        Figures.Word(verdict.Outcome)
        + (verdict.Reasons.Count == 0 ? "" : $" ({string.Join(' ', verdict.Reasons)})");

    private static string Quoted(string text) => string.Create(CultureInfo.InvariantCulture, $"'{text}'");

    [GeneratedRegex(@"^\d{8}T\d{6}Z(-[0-9a-z]+)+$")]
    private static partial Regex RunId();
}

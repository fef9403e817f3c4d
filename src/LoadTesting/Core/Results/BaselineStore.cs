namespace LoadTesting.Core.Results;

/// <summary>
/// A directory of accepted baselines, one machine class each. Its files are named after their runs (<c>utc-commit.json</c>), are added and
/// never changed.
/// </summary>
/// <param name="directory">The directory; it need not exist yet.</param>
public sealed class BaselineStore(string directory)
{
    /// <summary>Environment variable that names the directory.</summary>
    public const string Variable = "WORKFLOW_PERF_BASELINE";

    /// <summary>Where the directories of the machine classes lie in a repository.</summary>
    public const string DefaultParent = "fixtures/baselines";

    public string DirectoryPath => directory;

    /// <summary>Full paths of the baselines, the oldest first; empty when there is none.</summary>
    public IReadOnlyList<string> Files => Directory.Exists(directory)
        ? [.. Directory.EnumerateFiles(directory, "*.json").Select(Path.GetFullPath).OrderBy(Path.GetFileName, StringComparer.Ordinal)]
        : [];

    /// <summary>The directory that the setting names, else the one of the machine class in the repository around a directory.</summary>
    /// <param name="setting">Value of <see cref="Variable"/>; null or empty when it is not set.</param>
    /// <param name="workingDirectory">Where to look for the repository; without one, it is the parent itself.</param>
    /// <param name="machineClass"><see cref="EnvironmentInfo.MachineClass"/> of the run.</param>
    /// <exception cref="FormatException">Neither the setting nor the machine class is there, or the latter is no folder name.</exception>
    public static BaselineStore For(string? setting, string workingDirectory, string? machineClass)
    {
        if (!string.IsNullOrEmpty(setting))
        {
            return new BaselineStore(setting);
        }

        if (string.IsNullOrEmpty(machineClass) || machineClass.Any(c => !char.IsAsciiLetterOrDigit(c) && c is not ('-' or '_')))
        {
            throw new FormatException(
                $"environment.machineClass is {(machineClass is null ? "not recorded" : $"'{machineClass}', which is no folder name")}: " +
                $"name the directory of the baselines with --to or {Variable}.");
        }

        return new BaselineStore(Path.Combine(SourceRevision.FindRoot(workingDirectory) ?? workingDirectory, DefaultParent, machineClass));
    }

    /// <summary>
    /// The baselines that a run of that machine class is set beside, the oldest first; none where <see cref="For"/> names no directory.
    /// </summary>
    /// <inheritdoc cref="For"/>
    /// <exception cref="FormatException">A file is no result; the message begins with its path.</exception>
    public static async Task<IReadOnlyList<RunResult>> ReadAsync(
        string? setting, string workingDirectory, string? machineClass, CancellationToken cancellationToken = default) =>
        string.IsNullOrEmpty(setting) && string.IsNullOrEmpty(machineClass)
            ? []
            : await For(setting, workingDirectory, machineClass).ReadAsync(cancellationToken).ConfigureAwait(false);

    /// <summary>The baselines, the oldest first.</summary>
    /// <exception cref="FormatException">A file is no result; the message begins with its path.</exception>
    public async Task<IReadOnlyList<RunResult>> ReadAsync(CancellationToken cancellationToken = default)
    {
        var runs = new List<RunResult>();
        foreach (var file in Files)
        {
            runs.Add(await ResultJson.ReadFileAsync(file, cancellationToken).ConfigureAwait(false));
        }

        return runs;
    }

    /// <summary>Adds a run for which <see cref="BaselineRules"/> has no refusal, and returns the path.</summary>
    /// <exception cref="FormatException">The directory holds baselines of another machine class, or the run's name is no file
    /// name.</exception>
    /// <exception cref="IOException">A baseline of this name is there already; it is left as it is.</exception>
    public async Task<string> AddAsync(RunResult run, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(run);
        if (!BaselineRules.IsRunId(run.RunId))
        {
            throw new FormatException($"runId '{run.RunId}' is not yyyyMMddTHHmmssZ-commit and names no baseline.");
        }

        if (Files.Count > 0 && await ResultJson.ReadFileAsync(Files[^1], cancellationToken).ConfigureAwait(false) is var newest
            && newest.Environment.MachineClass != run.Environment.MachineClass)
        {
            throw new FormatException(
                $"{directory}: holds baselines of machine class '{newest.Environment.MachineClass}', this run is of " +
                $"'{run.Environment.MachineClass}'. Name another directory with --to, or none.");
        }

        var path = Path.GetFullPath(Path.Combine(directory, run.RunId + ".json"));
        Directory.CreateDirectory(directory);
        if (File.Exists(path))
        {
            throw new IOException($"{path}: is there already, and baselines are never written over. Measure again for another one.");
        }

        // Created anew: should two accept at once, the second fails instead of writing over the first.
        var stream = new FileStream(path, FileMode.CreateNew, FileAccess.Write);
        await using (stream.ConfigureAwait(false))
        {
            await stream.WriteAsync(Encoding.UTF8.GetBytes(ResultJson.Write(run)), cancellationToken).ConfigureAwait(false);
        }

        return path;
    }
}

/// <summary>What a run must be to be kept as a baseline: what is not known to be right is refused.</summary>
public static partial class BaselineRules
{
    private const string NotRecorded = "not recorded";
    private const string LeaveOut = "Measure again, or leave it out with --scenario";

    /// <summary>Everything that speaks against a run, in the order of the run; empty when it can be kept.</summary>
    /// <param name="allowDirty">Whether uncommitted changes are accepted.</param>
    public static IReadOnlyList<BaselineRefusal> Refusals(RunResult run, bool allowDirty)
    {
        ArgumentNullException.ThrowIfNull(run);
        return
        [
            .. OfRun(run, allowDirty), .. run.Scenarios.SelectMany(OfScenario),
            .. run.Capacity.Where(capacity => capacity.ToVerdict().Outcome == VerdictOutcome.Failed).Select(OfSearch),
        ];
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

        if (run.Partial is { } partial)
        {
            yield return new(null, "partial", Quoted(partial), "Measure again, and let the run come to its end.");
        }

        if (run.Scenarios.Count == 0)
        {
            yield return new(null, "scenarios", "empty", "Name a run that holds results, or fewer restrictions in --scenario.");
        }
    }

    /// <summary>One whose generator was the limit is kept: what was carried is known.</summary>
    private static BaselineRefusal OfSearch(CapacityResult search) => new(
        search.Name, search.Violations is { Count: > 0 } ? "capacity.violations" : "capacity.outcome", Reasons(search.ToVerdict()),
        $"{LeaveOut} '!{search.Name}'.");

    private static IEnumerable<BaselineRefusal> OfScenario(ScenarioResult scenario)
    {
        if (scenario.Verdict.Outcome != VerdictOutcome.Passed)
        {
            yield return Refuse("verdict.outcome", Reasons(scenario.Verdict));
        }

        if (scenario.Partial is { } partial)
        {
            yield return Refuse("partial", Quoted(partial));
        }

        if (scenario.Part is { } part)
        {
            yield return new(scenario.Name, "part", $"{part}", "Merge all parts with 'wfperf merge', and keep the whole.");
        }

        if (scenario.Injected is { } injected)
        {
            yield return Refuse("injected", Quoted(injected));
        }

        if (scenario.Validity is not { } validity)
        {
            // Of scenarios that ran at the same time only the sum has one: measuring again would give a part none.
            yield return new(
                scenario.Name, "validity", NotRecorded, $"Measure it by itself, or leave it out with --scenario '!{scenario.Name}'.");
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
            yield return Refuse(
                "generator.health", scenario.Generator is { } bound ? $"bound ({string.Join(' ', bound.Evidence)})" : NotRecorded);
        }

        // One that does not balance is the reason of a verdict, and no result that passed is read with one.
        if (scenario.Ledger is null)
        {
            yield return Refuse("ledger", NotRecorded);
        }

        if (scenario.DefinitionHash is null)
        {
            yield return Refuse("definitionHash", NotRecorded);
        }

        if (scenario.Latency.N == 0)
        {
            yield return Refuse("latency.n", "0");
        }

        BaselineRefusal Refuse(string field, string value) => new(scenario.Name, field, value, $"{LeaveOut} '!{scenario.Name}'.");
    }

    private static string Reasons(VerdictResult verdict) =>
        (verdict.Outcome == VerdictOutcome.Failed ? "failed" : "inconclusive")
        + (verdict.Reasons.Count == 0 ? "" : $" ({string.Join(' ', verdict.Reasons)})");

    private static string Quoted(string text) => string.Create(CultureInfo.InvariantCulture, $"'{text}'");

    [GeneratedRegex(@"^\d{8}T\d{6}Z-[0-9a-f]{7,40}(-[0-9a-z]+)*$")]
    private static partial Regex RunId();
}

/// <summary>Why a run cannot be kept as a baseline.</summary>
/// <param name="Scenario">Full name of the scenario; null when it concerns the whole run.</param>
/// <param name="Field">The member of the result, as it is called in JSON.</param>
/// <param name="Value">What it holds.</param>
/// <param name="Remedy">What to do about it.</param>
public sealed record BaselineRefusal(string? Scenario, string Field, string Value, string Remedy)
{
    public override string ToString() => $"{(Scenario is null ? "" : Scenario + ": ")}{Field} is {Value}. {Remedy}";
}

namespace LoadTesting.Core.Results;

/// <summary>What makes two results unlike. What is not recorded is not known to be equal, and counts as different.</summary>
internal static class ComparisonRules
{
    private const string NotRecorded = "not recorded";

    private const string OwnTransport = "the hosting's own";

    private const int ShortHash = 7;

    /// <summary>What is shown beside its row even when every row has it, because the values matter there.</summary>
    public static IReadOnlySet<string> AlwaysByRow { get; } = new HashSet<string> { "operations", "concurrency", "outcome" };

    /// <summary>Differences that hold for every scenario of a column.</summary>
    public static IEnumerable<ComparisonDifference> OfColumns(ComparisonColumn first, ComparisonColumn other)
    {
        var (a, b) = (first.Environment, other.Environment);
        if (a.Fingerprint is null || a.Fingerprint != b.Fingerprint)
        {
            yield return new("machine", Machine(a), Machine(b), ForbidsVerdict: true);
        }

        if (first.Backend?.Durability is not { } durability || durability != other.Backend?.Durability)
        {
            yield return new(
                "durability", first.Backend?.Durability ?? NotRecorded, other.Backend?.Durability ?? NotRecorded, ForbidsVerdict: true);
        }

        foreach (var difference in Unequal(
            ("backend", Product(first.Backend), Product(other.Backend)),
            ("runtime", a.Dotnet, b.Dotnet),
            ("commit", Commit(first.Source.Run), Commit(other.Source.Run))))
        {
            yield return difference;
        }

        foreach (var setting in Settings(first.Backend, other.Backend))
        {
            yield return setting;
        }
    }

    /// <summary>Differences between two results of one scenario.</summary>
    public static IEnumerable<ComparisonDifference> OfScenarios(ScenarioResult first, ScenarioResult other)
    {
        if (first.DefinitionHash is null || first.DefinitionHash != other.DefinitionHash)
        {
            yield return new("content", Hash(first.DefinitionHash), Hash(other.DefinitionHash), ForbidsVerdict: true);
        }

        // How many operations a time holds is what is measured.
        var isTimed = first.LoadModel == other.LoadModel && first.LoadModel.Contains(" for ", StringComparison.Ordinal);
        foreach (var difference in Unequal(
            ("operations", isTimed ? null : Operations(first), isTimed ? null : Operations(other)),
            ("concurrency", Number(first.Concurrency), Number(other.Concurrency)),
            ("signal workers", Number(first.SignalWorkers), Number(other.SignalWorkers)),
            ("transport", first.Transport ?? OwnTransport, other.Transport ?? OwnTransport),
            ("load engine", first.LoadEngine, other.LoadEngine),
            ("parts", Number(first.Parts?.Count) ?? "none", Number(other.Parts?.Count) ?? "none"),
            ("load model", first.LoadModel, other.LoadModel)))
        {
            yield return difference with { ForbidsVerdict = true };
        }

        foreach (var difference in Unequal(("lanes", Number(first.Lanes), Number(other.Lanes))))
        {
            yield return difference;
        }

        if (!IsSound(first) || !IsSound(other))
        {
            yield return new("outcome", Outcome(first), Outcome(other), ForbidsVerdict: true);
        }
    }

    private static IEnumerable<ComparisonDifference> Unequal(params (string What, string? First, string? Other)[] values) =>
        values.Where(value => value.First != value.Other)
            .Select(value => new ComparisonDifference(
                value.What, value.First ?? NotRecorded, value.Other ?? NotRecorded, ForbidsVerdict: false));

    private static string Operations(ScenarioResult scenario) =>
        Number(scenario.OperationsOfEachRun()) ?? $"{Number(scenario.Operations)} in unlike runs";

    // Settings of unlike products have nothing to do with each other.
    private static IEnumerable<ComparisonDifference> Settings(BackendInfo? first, BackendInfo? other) =>
        first?.Product is null || first.Product != other?.Product
            ? []
            : first.Settings.Keys.Union(other.Settings.Keys).Order(StringComparer.Ordinal)
                .SelectMany(name => Unequal(
                    ("setting " + name, first.Settings.GetValueOrDefault(name), other.Settings.GetValueOrDefault(name))));

    private static bool IsSound(ScenarioResult scenario) =>
        scenario.Verdict.Outcome == VerdictOutcome.Passed
        && scenario is { Partial: null, Injected: null, Part: null }
        && scenario.Generator?.Health != GeneratorState.Bound
        && scenario.Ledger?.Balanced != false;

    private static string Outcome(ScenarioResult scenario) =>
        scenario.Verdict.Outcome switch { VerdictOutcome.Passed => "passed", VerdictOutcome.Failed => "failed", _ => "inconclusive" }
        + (scenario.Partial is null ? "" : ", partial")
        + (scenario.Part is { } part ? $", {part} alone" : "")
        + (scenario.Injected is { } injected ? $", with {injected} on purpose" : "")
        + (scenario.Generator?.Health == GeneratorState.Bound ? ", generator bound" : "")
        + (scenario.Ledger?.Balanced == false ? ", ledger not balanced" : "");

    private static string Machine(EnvironmentInfo environment) =>
        environment.Fingerprint is { } fingerprint
            ? $"{environment.MachineClass ?? "unnamed"} (fingerprint {Short(fingerprint)})"
            : environment.MachineClass ?? NotRecorded;

    private static string? Product(BackendInfo? backend) =>
        backend?.Product is { } product ? backend.Version is { } version ? $"{product} {version}" : product : null;

    private static string? Commit(RunResult run) =>
        run.Commit is { } commit ? Short(commit) + (run.Dirty == true ? " with uncommitted changes" : "") : null;

    private static string Hash(string? hash) => hash is null ? NotRecorded : Short(hash);

    private static string Short(string hash) => hash[..Math.Min(hash.Length, ShortHash)];

    private static string? Number(long? value) => value?.ToString(CultureInfo.InvariantCulture);
}

/// <summary>One profile of one run: what stands side by side.</summary>
/// <param name="Letter">A for the first, which the others are held against; then B, C and so on.</param>
/// <param name="Profile">The backend combination.</param>
/// <param name="Source">The run it is from.</param>
public sealed record ComparisonColumn(string Letter, string Profile, ComparisonSource Source)
{
    public string Title => $"{Letter} {Profile}";

    /// <summary>The backend of the profile; null when the run says nothing of it.</summary>
    public BackendInfo? Backend => Source.Run.Environment.Backends.GetValueOrDefault(Profile) ?? Source.Run.Environment.Backend;

    public EnvironmentInfo Environment => Source.Run.Environment;

    /// <summary>What differs from the first column in every row, or is not known to be equal; empty for the first column.</summary>
    public IReadOnlyList<ComparisonDifference> Differences { get; init; } = [];
}

/// <summary>A circumstance in which two results differ, or are not known to be equal.</summary>
/// <param name="What">The circumstance in a word: <c>machine</c>, <c>durability</c>, <c>content</c> and so on.</param>
/// <param name="First">Its value in the first column.</param>
/// <param name="Other">Its value in the other.</param>
/// <param name="ForbidsVerdict">Whether the results are unlike because of it, so that neither may be called faster.</param>
public sealed record ComparisonDifference(string What, string First, string Other, bool ForbidsVerdict);

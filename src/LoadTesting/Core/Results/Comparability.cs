namespace LoadTesting.Core.Results;

/// <summary>
/// Decides whether two results compare. What changes figures forbids a verdict: processor, cores, memory, disk, the
/// runtime's major version, durability, the backend's major version and settings, content and load. Everything else
/// that differs (kernel, operating system, SDK, collector, commit) is reported. What is not recorded is not known to be
/// equal, and counts as different.
/// </summary>
internal static partial class Comparability
{
    /// <summary>Memory of one size of machine: what kernels keep for themselves differs by less.</summary>
    private const double MemoryRatio = 1.05;

    /// <summary>
    /// Forced writes per second of one disk differ by less, also when others use it; those of a hard disk, a consumer's
    /// flash disk and one with a protected cache differ by more.
    /// </summary>
    private const double DiskRatio = 4;

    internal const string NotRecorded = "not recorded";

    private const string OwnTransport = "the hosting's own";

    private const int ShortHash = 7;

    /// <summary>What is shown beside its row even when every row has it, because the values matter there.</summary>
    public static IReadOnlySet<string> AlwaysByRow { get; } =
        new HashSet<string> { "operations", "concurrency", "outcome" };

    /// <summary>
    /// Whether times of a profile compare between two runs: machine and runtime are known to be alike.
    /// </summary>
    public static bool IsSameMachine(RunResult first, RunResult other, string profile) =>
        !OfMachines(Column(first, profile), Column(other, profile)).Any(difference => difference.ForbidsVerdict);

    /// <summary>Whether nothing but the outcomes of two results forbids a verdict.</summary>
    public static bool AreAlike(RunResult first, ScenarioResult reference, RunResult other, ScenarioResult candidate) =>
        IsSameMachine(first, other, candidate.Profile)
        && !UnlikeButForMachine(
            new ComparisonSource(first.RunId, first), reference, new ComparisonSource(other.RunId, other), candidate)
            .Any();

    /// <summary>
    /// Whether processor, cores and memory are known to be alike: baselines of both share a directory.
    /// </summary>
    public static bool IsSameMachineClass(EnvironmentInfo first, EnvironmentInfo other) =>
        !OfHardware(first, other).Any();

    /// <summary>
    /// What forbids a verdict in words, without the machine, for counters gate everywhere, and without the outcome,
    /// which a gate judges by separate rules.
    /// </summary>
    public static IEnumerable<string> UnlikeButForMachine(
        ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate)
    {
        var first = new ComparisonColumn("A", reference.Profile, baseRun);
        var other = new ComparisonColumn("B", candidate.Profile, candidateRun);
        return OfBackends(first, other).Concat(OfScenarios(reference, candidate)).Where(IsReasonForGate).Select(Words);
    }

    /// <summary>
    /// As <see cref="UnlikeButForMachine"/>, and the machine: pairs run on one. Its disk is the same whatever was
    /// measured of it.
    /// </summary>
    public static IEnumerable<string> Unlike(
        ComparisonSource baseRun, ScenarioResult reference, ComparisonSource candidateRun, ScenarioResult candidate)
    {
        var (a, b) = (baseRun.Run.Environment, candidateRun.Run.Environment);
        return OfHardware(a, b).Concat(OfRuntimes(a, b)).Where(IsReasonForGate).Select(Words)
            .Concat(UnlikeButForMachine(baseRun, reference, candidateRun, candidate));
    }

    /// <summary>Differences that hold for every scenario of a column: machine, backend and commit.</summary>
    public static IEnumerable<ComparisonDifference> OfColumns(ComparisonColumn first, ComparisonColumn other) =>
    [
        .. OfMachines(first, other), .. OfBackends(first, other),
        .. Unequal(("commit", Commit(first.Source.Run), Commit(other.Source.Run))),
    ];

    private static IEnumerable<ComparisonDifference> OfMachines(ComparisonColumn first, ComparisonColumn other)
    {
        var (a, b) = (first.Environment, other.Environment);
        return
        [
            .. OfHardware(a, b), .. OfDisks(first, other), .. OfRuntimes(a, b),
            .. Unequal(
                ("collector", a.GcMode, b.GcMode), ("operating system", a.Os, b.Os), ("kernel", a.Kernel, b.Kernel),
                ("SDK", a.Sdk, b.Sdk)),
        ];
    }

    private static IEnumerable<ComparisonDifference> OfHardware(EnvironmentInfo a, EnvironmentInfo b) =>
    [
        .. Decisive("processor", a.CpuModel ?? a.Architecture, b.CpuModel ?? b.Architecture, string.Equals),
        .. Decisive("cores", Cores(a), Cores(b), string.Equals),
        .. Decisive("memory", Memory(a), Memory(b), IsWithin(MemoryBytes(a), MemoryBytes(b), MemoryRatio)),
    ];

    private static IEnumerable<ComparisonDifference> OfRuntimes(EnvironmentInfo a, EnvironmentInfo b) =>
        Major(a.Dotnet) is { } major && major == Major(b.Dotnet)
            ? Unequal(("runtime", a.Dotnet, b.Dotnet))
            : [new("runtime", a.Dotnet ?? NotRecorded, b.Dotnet ?? NotRecorded, ForbidsVerdict: true)];

    /// <summary>
    /// Forced writes, else commits where neither measured the former. Only within one product is a disk that one side
    /// did not measure a difference: the others have no disk, or another way to it.
    /// </summary>
    private static IEnumerable<ComparisonDifference> OfDisks(ComparisonColumn first, ComparisonColumn other)
    {
        var isSameProduct = first.Backend?.Product == other.Backend?.Product;
        var (a, b) = (first.Ceilings?.FsyncPerSecond, other.Ceilings?.FsyncPerSecond);
        var unit = "forced writes/s";
        if (a is null && b is null && isSameProduct)
        {
            (a, b, unit) = (first.Ceilings?.CommitsPerSecond, other.Ceilings?.CommitsPerSecond, "commits/s");
        }

        var isOneMissing = (a is null) != (b is null);
        return (a is null && b is null) || (isOneMissing && !isSameProduct)
            ? []
            : Decisive("disk", Rate(a, unit), Rate(b, unit), IsWithin(a, b, DiskRatio));
    }

    private static IEnumerable<ComparisonDifference> OfBackends(ComparisonColumn first, ComparisonColumn other)
    {
        var (a, b) = (first.Backend, other.Backend);
        foreach (var difference in Decisive("durability", a?.Durability, b?.Durability, string.Equals))
        {
            yield return difference;
        }

        // Unlike products are what is compared; of one product the version and the settings may not differ.
        var isSameProduct = a?.Product is not null && a.Product == b?.Product;
        foreach (var difference in Unequal(("backend", Product(a), Product(b))))
        {
            yield return difference with { ForbidsVerdict = isSameProduct && Major(a!.Version) != Major(b!.Version) };
        }

        foreach (var difference in isSameProduct ? OfSettings(a!.Settings, b!.Settings) : [])
        {
            yield return difference;
        }
    }

    /// <summary>One that only one side read back is reported.</summary>
    private static IEnumerable<ComparisonDifference> OfSettings(
        IReadOnlyDictionary<string, string> first, IReadOnlyDictionary<string, string> other) =>
        first.Keys.Union(other.Keys).Order(StringComparer.Ordinal)
            .SelectMany(
                name => Unequal(("setting " + name, first.GetValueOrDefault(name), other.GetValueOrDefault(name)))
                .Select(difference =>
                    difference with { ForbidsVerdict = first.ContainsKey(name) && other.ContainsKey(name) }));

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
            ("load model", LoadModelText.Of(first.LoadModel), LoadModelText.Of(other.LoadModel))))
        {
            yield return difference with { ForbidsVerdict = true };
        }

        // A regression on purpose is there to be found.
        foreach (var difference in Unequal(
            ("lanes", Number(first.Lanes), Number(other.Lanes)),
            ("injected", first.Injected ?? "nothing", other.Injected ?? "nothing")))
        {
            yield return difference;
        }

        if (!IsSound(first) || !IsSound(other))
        {
            yield return new("outcome", Outcome(first), Outcome(other), ForbidsVerdict: true);
        }
    }

    private static IEnumerable<ComparisonDifference> Unequal(
        params (string What, string? First, string? Other)[] values) =>
        values.Where(value => value.First != value.Other)
            .Select(value => new ComparisonDifference(
                value.What, value.First ?? NotRecorded, value.Other ?? NotRecorded, ForbidsVerdict: false));

    private static string Operations(ScenarioResult scenario) =>
        Count(scenario.OperationsOfEachRun()) ?? $"{Count(scenario.Operations)} in unlike runs";

    private static string? Count(long? value) => value?.ToString("#,0", CultureInfo.InvariantCulture);

    private static bool IsSound(ScenarioResult scenario) =>
        scenario.Verdict.Outcome == VerdictOutcome.Passed
        && scenario is { Partial: null, Part: null }
        && scenario.Generator?.Health != GeneratorState.Bound
        && scenario.Ledger?.Balanced != false;

    private static string Outcome(ScenarioResult scenario) =>
        scenario.Verdict.Outcome switch { VerdictOutcome.Passed => "passed", VerdictOutcome.Failed => "failed",
            _ => "inconclusive" }
        + (scenario.Partial is null ? "" : ", partial")
        + (scenario.Part is { } part ? $", {part} alone" : "")
        + (scenario.Generator?.Health == GeneratorState.Bound ? ", generator bound" : "")
        + (scenario.Ledger?.Balanced == false ? ", ledger not balanced" : "");

    private static bool IsReasonForGate(ComparisonDifference difference) =>
        difference.ForbidsVerdict && difference.What != "outcome";

    private static string Words(
        ComparisonDifference difference) => $"{difference.What} is {difference.First} and {difference.Other}";

    private static IEnumerable<ComparisonDifference> Decisive(
        string what, string? first, string? other, Func<string?, string?, bool> areAlike) =>
        first is not null && other is not null && areAlike(first, other)
            ? []
            : [new(what, first ?? NotRecorded, other ?? NotRecorded, ForbidsVerdict: true)];

    private static Func<string?, string?, bool> IsWithin(double? first, double? other, double ratio) =>
        (_, _) => first * ratio >= other && other * ratio >= first;

    private static ComparisonColumn Column(RunResult run, string profile) =>
        new("", profile, new ComparisonSource(run.RunId, run));

    /// <summary>What a limit of the control group leaves of the machine is what the run had.</summary>
    private static string? Cores(EnvironmentInfo environment) =>
        environment.CpuLimitCores is { } limit && limit < environment.Cores
        ? string.Create(CultureInfo.InvariantCulture, $"{limit:0.##} of {environment.Cores}")
        : Number(environment.Cores);

    private static long? MemoryBytes(EnvironmentInfo environment) =>
        environment.MemoryLimitBytes is { } limit && !(limit > environment.MemoryBytes)
            ? limit : environment.MemoryBytes;

    private static string? Memory(EnvironmentInfo environment) => MemoryBytes(environment) is { } bytes
        ? string.Create(CultureInfo.InvariantCulture, $"{bytes / (double)(1L << 30):0.0} GiB")
        : null;

    private static string? Rate(double? perSecond, string unit) =>
        perSecond is { } rate ? string.Create(CultureInfo.InvariantCulture, $"{rate:#,0} {unit}") : null;

    private static string? Major(string? version) =>
        version is not null && FirstNumber().Match(version) is { Success: true } number ? number.Value : null;

    private static string? Product(BackendInfo? backend) =>
        backend?.Product is { } product ? backend.Version is { } version ? $"{product} {version}" : product : null;

    private static string? Commit(RunResult run) =>
        run.Commit is { } commit ? Short(commit) + (run.Dirty == true ? " with uncommitted changes" : "") : null;

    private static string Hash(string? hash) => hash is null ? NotRecorded : Short(hash);

    private static string Short(string hash) => hash[..Math.Min(hash.Length, ShortHash)];

    private static string? Number(long? value) => value?.ToString(CultureInfo.InvariantCulture);

    [GeneratedRegex(@"\d+")]
    private static partial Regex FirstNumber();
}

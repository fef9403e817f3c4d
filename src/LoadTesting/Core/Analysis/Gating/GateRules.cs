namespace LoadTesting.Core.Analysis.Gating;

/// <summary>Judges a counter of one run by stored ones.</summary>
internal static class CounterJudge
{
    public const string NoRule = "It depends on timing alone, or has no class in this version: reported, not gated.";

    private const string SharedByFew =
        "Operations share commits, and so few of them differ by more than a regression does from run to run: full size gates it, or pairs.";

    private const string SharedElsewhere =
        "Operations share commits, and how many share one depends on the machine: rows that run one at a time gate it, or pairs.";

    public static bool Counts(GateSide side, string counter) => side.Counters.GetValueOrDefault(counter) is not null;

    /// <summary>Whether both sides counted it, by the same source.</summary>
    public static bool CountAlike(GateSide one, GateSide other, string counter) =>
        Counts(one, counter) && Counts(other, counter) && SourceOf(one, counter) == SourceOf(other, counter);

    private static string SourceOf(GateSide side, string counter) => side.CounterSources.GetValueOrDefault(counter, "");

    /// <param name="baselines">Runs that are held against, at least one.</param>
    /// <param name="candidate">The run that is judged.</param>
    /// <param name="concurrency">Operations at a time; null for an open load.</param>
    /// <param name="isSameMachine">Whether both are known to be of one machine class.</param>
    public static GateFinding Judge(
        string name, IReadOnlyList<GateSide> baselines, GateSide candidate, int? concurrency, bool isSameMachine)
    {
        var counted = baselines.Where(side => SourceOf(side, name) == SourceOf(candidate, name))
            .Select(side => side.Counters.GetValueOrDefault(name)).OfType<double>().ToList();
        var finding = new GateFinding
        {
            Metric = name, Kind = GateMetricKind.Counter, Unit = "per operation", Verdict = GateVerdict.NotGated, N = candidate.Operations,
            Baseline = counted.Count > 0 ? counted.Median() : null, Measured = candidate.Counters.GetValueOrDefault(name), Reason = "",
        };
        if (CounterRule.For(name) is null)
        {
            return finding with { Reason = NoRule };
        }

        if (finding.Measured is not { } measured || finding.Baseline is not { } baseline)
        {
            var side = finding.Measured is null ? "candidate" : "baseline";
            return finding with { Reason = $"Not counted in the {side}, or by another source; the result's notes say why." };
        }

        var sharesCommits = concurrency != 1 || !IsWhole(baselines, "commits");
        if (sharesCommits && CounterRule.IsOncePerCommit(name)
            && (!isSameMachine || candidate.Operations < CounterRule.OperationsForShared))
        {
            return finding with { Reason = isSameMachine ? SharedByFew : SharedElsewhere };
        }

        var byTiming = sharesCommits && (!isSameMachine || CounterRule.IsOncePerCommit(name));
        var own = CounterRule.For(name)!;
        var rule = byTiming ? CounterRule.Shared with { FewInAll = own.FewInAll } : own;
        var limit = Math.Max(rule.LimitOver(baseline, candidate.Operations), counted.Max());
        return finding with
        {
            Limit = limit,
            Change = baseline > 0 ? (measured / baseline) - 1 : null,
            Verdict = measured > limit ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(CultureInfo.InvariantCulture, $"Class {rule.Class} may grow by {rule.Share:0 %} and {rule.PerOperation}")
                + (byTiming ? ", since operations share commits and timing decides how many share one." : "."),
        };
    }

    private static bool IsWhole(IReadOnlyList<GateSide> baselines, string counter) =>
        baselines.All(side => side.Counters.GetValueOrDefault(counter) is { } value && Math.Abs(value - Math.Round(value)) < 1e-9);
}

/// <summary>How much a counter may grow: beyond both limits is a regression.</summary>
/// <param name="Class">1 exact, 2 near, 3 loose.</param>
/// <param name="Share">Growth as a share of the baseline.</param>
/// <param name="PerOperation">Growth per operation, in the counter's own unit.</param>
internal sealed record CounterRule(int Class, double Share, double PerOperation)
{
    /// <summary>Operations from which on two single runs with shared commits may be compared at all.</summary>
    public const long OperationsForShared = 1000;

    /// <summary>
    /// Two images of pages of PostgreSQL, in bytes: what is changed for the first time after a checkpoint is logged whole, and where rows
    /// come to lie decides on how many pages that is.
    /// </summary>
    private const double PageImages = 2 * 8192;

    /// <summary>So much in all, in the counter's own unit, is no regression: the store's own housekeeping.</summary>
    public double FewInAll { get; init; } = 3;

    /// <summary>
    /// What is allowed to two single runs in which operations share commits; pairs average that out and need no such allowance.
    /// </summary>
    public static CounterRule Shared { get; } = new(1, 0.25, 0.25);

    private static readonly CounterRule Exact = new(1, 0.02, 0.02);
    private static readonly CounterRule Near = new(2, 0.08, 0.02);
    private static readonly CounterRule Loose = new(3, 0.15, 0.02);

    private static readonly Dictionary<string, CounterRule> ByName = new()
    {
        ["commits"] = Exact,
        ["rollbacks"] = Exact,
        ["writeTransactions"] = Exact,
        ["rows"] = Exact,
        ["statements"] = Exact,
        ["messagesPublished"] = Exact,
        ["retries"] = Exact,
        ["rowsRead"] = Near,
        ["roundTrips"] = Near,
        ["walBytes"] = Near with { FewInAll = PageImages },
        ["walRecords"] = Near,
        ["redoBytes"] = Near,
        ["logicalReads"] = Loose,
    };

    // What is done once a commit, whatever the number of operations in it.
    private static readonly HashSet<string> OncePerCommit = ["commits", "writeTransactions", "statements", "roundTrips", "logicalReads"];

    /// <summary>The rule for a counter; null for one that depends on timing alone, such as forced writes, or that is not known.</summary>
    public static CounterRule? For(string counter) => ByName.GetValueOrDefault(counter);

    /// <summary>
    /// Whether a counter is done once a commit, so that it depends on how many operations share one: timing decides that.
    /// </summary>
    public static bool IsOncePerCommit(string counter) => OncePerCommit.Contains(counter);

    /// <summary>What a baseline value may grow to in so many operations.</summary>
    public double LimitOver(double baseline, long operations) =>
        baseline + Math.Max(Math.Max(Share * baseline, PerOperation), FewInAll / Math.Max(1, operations));
}

/// <summary>How a time, or a measured cost, is judged by pairs.</summary>
/// <param name="Name">The metric.</param>
/// <param name="Margin">Worse by this share for sure is a regression, where the number of pairs is fixed.</param>
/// <param name="MinimumSamples">Samples that each side needs: ten beyond the percentile.</param>
/// <param name="IsBetterWhenHigher">Whether it is a rate.</param>
internal sealed record TimeRule(
    string Name, string Unit, double Margin, long MinimumSamples, Func<GateSide, double?> Value, bool IsBetterWhenHigher = false)
{
    /// <summary>Surely less worse than this is not a regression, where the number of pairs is fixed.</summary>
    public const double GreatestMargin = 0.15;

    /// <summary>As <see cref="Margin"/>, where pairs are recorded until it is clear.</summary>
    public double SequentialMargin { get; init; } = 0.02;

    /// <summary>As <see cref="GreatestMargin"/>, where pairs are recorded until it is clear.</summary>
    public double SequentialTolerance { get; init; } = 0.10;

    /// <summary>Time or cost.</summary>
    public GateMetricKind Kind { get; private init; } = GateMetricKind.Time;

    /// <summary>The times that gate. A maximum never does.</summary>
    public static IReadOnlyList<TimeRule> All { get; } =
    [
        new("throughput", "/s", 0.05, 1, side => side.ThroughputPerSecond, IsBetterWhenHigher: true),
        new("p50", "ms", 0.05, 20, side => side.P50Ms),
        new("p95", "ms", 0.05, 200, side => side.P95Ms),
        new("p99", "ms", 0.15, 1000, side => side.P99Ms) { SequentialMargin = 0.05, SequentialTolerance = 0.20 },
    ];

    /// <summary>Costs that are measured, which other load on the machine hardly moves; in process with the generator's.</summary>
    public static IReadOnlyList<TimeRule> Costs { get; } =
    [
        Cost("serviceCpu", "ms per operation", side => side.ServiceCpuMs),
        Cost("databaseCpu", "ms per operation", side => side.DatabaseCpuMs),
        Cost("allocated", "bytes per operation", side => side.AllocatedBytes),
    ];

    /// <summary>Whether the times of a scenario gate: only at full size do percentiles mean something.</summary>
    public static bool AppliesTo(string scenario) =>
        scenario.EndsWith("-xl", StringComparison.Ordinal) || scenario.EndsWith("-xl-http", StringComparison.Ordinal);

    private static TimeRule Cost(string name, string unit, Func<GateSide, double?> value) =>
        new(name, unit, 0.05, 1, value) { Kind = GateMetricKind.Cost, SequentialTolerance = 0.05 };

    /// <summary>Natural logarithm of how much worse <paramref name="candidate"/> is; null when one is missing or not above 0.</summary>
    public double? Worse(double? reference, double? candidate) =>
        reference is > 0 && candidate is > 0 ? (IsBetterWhenHigher ? -1 : 1) * Math.Log(candidate.Value / reference.Value) : null;

    /// <summary>What a value comes to that is worse by a share.</summary>
    public double WorseBy(double value, double share) => IsBetterWhenHigher ? value / (1 + share) : value * (1 + share);
}

/// <summary>Judges what went wrong: more than in the baseline is a regression, and where that had none, any.</summary>
internal static class FaultJudge
{
    private const double ConflictLevel = 0.005;
    private const double ConflictRatio = 1.5;

    /// <summary>Judges what only the candidate measured: it has to be correct all the same.</summary>
    public static List<GateFinding> Alone(IReadOnlyList<GateSide> candidates) =>
        Judge([new GateSide { Operations = 0, N = 0 }], candidates);

    /// <summary>Judges faults and conflicts over all runs of each side.</summary>
    public static List<GateFinding> Judge(IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates)
    {
        if (bases.Count == 0 || candidates.Count == 0)
        {
            return [];
        }

        var names = candidates.SelectMany(side => side.Faults.Keys).Distinct();
        var faults = names.Select(name => Fault(name, bases, candidates));
        var hasOperations = bases.Any(side => side.Operations > 0) && candidates.Any(side => side.Operations > 0);
        return hasOperations ? [.. faults, Conflicts(bases, candidates)] : [.. faults];
    }

    /// <summary>Judges runs that left no result: beside bases that did, a candidate that does not is broken.</summary>
    public static GateFinding Missing(IReadOnlyList<GatePair> pairs)
    {
        var (before, after) = (pairs.Count(pair => pair.Base is null), pairs.Count(pair => pair.Candidate is null));
        return Finding("missingRuns", before, after, [.. pairs.Select(pair => pair.Candidate).OfType<GateSide>()]) with
        {
            Limit = before,
            Verdict = after > before ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(
                CultureInfo.InvariantCulture,
                $"The candidate left no result in {after} of {pairs.Count} pairs, the base in {before}: none more is allowed. "
                + $"Gate scenarios that both sides have."),
        };
    }

    private static GateFinding Fault(string name, IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates)
    {
        // Sides may differ in runs when some left no result: the rate of the baseline decides, to the unit.
        var (before, after) = (Count(bases, name), Count(candidates, name));
        var limit = before * candidates.Count / bases.Count;
        return Finding(name, before, after, candidates) with
        {
            Limit = limit,
            Verdict = after > limit ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(
                CultureInfo.InvariantCulture,
                $"{after} in {candidates.Count} runs of the candidate, {before} in {bases.Count} of the baseline: none more is allowed."),
        };
    }

    private static GateFinding Conflicts(IReadOnlyList<GateSide> bases, IReadOnlyList<GateSide> candidates)
    {
        var (before, after) = (bases.Sum(side => side.Conflicts), candidates.Sum(side => side.Conflicts));
        var (of, in_) = (bases.Sum(side => side.Operations), candidates.Sum(side => side.Operations));
        var probability = ExactBinomial.SecondIsHigher(before, of, after, in_);
        var isHigher = probability < ConflictLevel && after * (double)of > ConflictRatio * before * in_;
        return Finding("runtimeConflicts", before, after, candidates) with
        {
            Limit = ConflictRatio * before * in_ / of,
            Verdict = isHigher ? GateVerdict.Regressed : GateVerdict.NotRegressed,
            Reason = string.Create(
                CultureInfo.InvariantCulture,
                $"{after} in {in_} operations, {before} in {of} of the baseline: p = {probability:0.####}; below {ConflictLevel} and more "
                + $"than {ConflictRatio} times as many regresses."),
        };
    }

    private static GateFinding Finding(string name, long before, long after, IReadOnlyList<GateSide> candidates) => new()
    {
        Metric = name, Kind = GateMetricKind.Correctness, Unit = "in all", Verdict = GateVerdict.NotGated, Reason = "",
        Baseline = before, Measured = after, N = candidates.Sum(side => side.Operations),
    };

    private static long Count(IReadOnlyList<GateSide> sides, string name) => sides.Sum(side => side.Faults.GetValueOrDefault(name));
}

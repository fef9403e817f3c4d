namespace LoadTesting.Core.Analysis.Gating;

/// <summary>
/// Tests the gate with recorded runs of one build against itself: decisions over pairs that are drawn from the recorded ones with
/// replacement, each pair's sides swapped by a coin as <see cref="PairOrder"/> does it, go through the very code that judges real pairs.
/// Without an injection every alarm is false; those are also counted over runs of neighbouring pairs, which keep what neighbours share.
/// </summary>
public static class GateSimulation
{
    /// <param name="recorded">Recorded pairs of one build, as a gate's result holds them.</param>
    /// <param name="decisions">Decisions for each scenario and injection, at least 1.</param>
    /// <param name="seed">Decides all draws.</param>
    /// <param name="design">How a decision records its pairs; ten of them when null.</param>
    /// <returns>For each scenario and injection a rate for each metric, and for any.</returns>
    /// <exception cref="FormatException">A scenario has fewer valid pairs than one decision needs.</exception>
    public static IReadOnlyList<SimulatedRate> Run(
        IReadOnlyList<GateRow> recorded, int decisions, int seed, GateDesign? design = null)
    {
        ArgumentNullException.ThrowIfNull(recorded);
        return Run(recorded, [Injection.None, Injection.NoneInRuns, .. Injection.All], decisions, seed, design ?? GateDesign.Fixed);
    }

    internal static IReadOnlyList<SimulatedRate> Run(
        IReadOnlyList<GateRow> recorded, IReadOnlyList<Injection> injections, int decisions, int seed, GateDesign design)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(decisions);
        var random = new Random(seed);
        return
        [
            .. from row in recorded
               let pool = Pool(row)
               from injection in injections.Select(injection => AtTheRateOf(pool, injection))
               where Changes(injection, pool)
               from rate in Rates(row.Scenario, injection, Decide(row.Scenario, pool, injection, decisions, design, random), decisions)
               select rate,
        ];
    }

    private static List<GatePair> Pool(GateRow row)
    {
        var pool = row.Pairs.Where(pair => pair.IsValid()).ToList();
        return pool.Count >= PairJudge.MinimumPairs ? pool : throw new FormatException(
            $"{row.Scenario}: {pool.Count} recorded pairs are valid; at least {PairJudge.MinimumPairs} are needed to draw "
            + "from. Record more.");
    }

    /// <summary>A rate that is the same in every run is that of the arrivals: a slower system leaves it as it is.</summary>
    private static Injection AtTheRateOf(List<GatePair> pool, Injection injection)
    {
        const double Same = 1.001;
        var rates = pool.SelectMany(pair => new[] { pair.Base!.ThroughputPerSecond, pair.Candidate!.ThroughputPerSecond }).ToList();
        return injection.IsNone || !(rates.Max() <= Same * rates.Min())
            ? injection
            : injection with { Apply = side => injection.Apply(side) with { ThroughputPerSecond = side.ThroughputPerSecond } };
    }

    /// <summary>An injection into a counter that these runs do not have would test nothing.</summary>
    private static bool Changes(Injection injection, IReadOnlyList<GatePair> pool) =>
        injection.IsNone || injection.OnlyFirstPair || pool.Any(pair => !SameFigures(pair.Base!, injection.Apply(pair.Base!)));

    private static bool SameFigures(GateSide side, GateSide injected) =>
        side.P50Ms == injected.P50Ms && side.ServiceCpuMs == injected.ServiceCpuMs && side.AllocatedBytes == injected.AllocatedBytes
        && side.Counters.All(counter => injected.Counters[counter.Key] == counter.Value);

    private static Dictionary<string, SimulatedCount> Decide(
        string scenario, List<GatePair> pool, Injection injection, int decisions, GateDesign design, Random random)
    {
        var counts = new Dictionary<string, SimulatedCount>();
        for (var decision = 0; decision < decisions; decision++)
        {
            var row = Decide(scenario, pool, injection, design, random);
            foreach (var finding in row.Findings.Where(finding => finding.Verdict != GateVerdict.NotGated))
            {
                Add(finding.Metric, finding.Verdict, row.Pairs.Count);
            }

            Add(SimulatedRate.AnyMetric, row.Verdict, row.Pairs.Count);
        }

        return counts;

        void Add(string metric, GateVerdict verdict, int pairs)
        {
            var (judged, regressed, inconclusive, all) = counts.GetValueOrDefault(metric);
            counts[metric] = new(judged + 1, regressed + (verdict == GateVerdict.Regressed ? 1 : 0),
                inconclusive + (verdict == GateVerdict.Inconclusive ? 1 : 0), all + pairs);
        }
    }

    /// <summary>One decision: looks until it is clear, as a recording goes.</summary>
    private static GateRow Decide(string scenario, List<GatePair> pool, Injection injection, GateDesign design, Random random)
    {
        var drawn = new List<GatePair>();
        var next = 0;
        GateRow? row = null;
        foreach (var look in design.IsSequential ? design.Looks : [PairGate.DefaultPairs])
        {
            while (drawn.Count < look)
            {
                next = drawn.Count % injection.RunLength == 0 ? random.Next(pool.Count) : (next + 1) % pool.Count;
                drawn.Add(Inject(Swap(pool[next], random, drawn.Count + 1), injection));
            }

            row = PairJudge.Judge(scenario, [.. drawn], design: design);
            if (row.Verdict != GateVerdict.Inconclusive)
            {
                break;
            }
        }

        return row!;
    }

    private static GatePair Swap(GatePair pair, Random random, int number) => random.Next(2) == 0
        ? pair with { Number = number }
        : new GatePair { Number = number, Base = pair.Candidate, Candidate = pair.Base };

    private static GatePair Inject(GatePair pair, Injection injection) =>
        injection.OnlyFirstPair && pair.Number > 1 ? pair : pair with { Candidate = injection.Apply(pair.Candidate!) };

    private static IEnumerable<SimulatedRate> Rates(
        string scenario, Injection injection, Dictionary<string, SimulatedCount> counts, int decisions) =>
        counts.Where(count => injection.IsNone || count.Key == SimulatedRate.AnyMetric || injection.Metrics.Contains(count.Key))
            .Select(count =>
                new SimulatedRate(scenario, injection.Name, count.Key, decisions, count.Value.Regressed, count.Value.Inconclusive)
                {
                    MeanPairs = (double)count.Value.Pairs / count.Value.Judged,
                });
}

internal readonly record struct SimulatedCount(long Judged, long Regressed, long Inconclusive, long Pairs);

/// <summary>How often simulated decisions said that a metric had regressed.</summary>
/// <param name="Scenario">Scenario whose recorded pairs were drawn from.</param>
/// <param name="Injection">What was put in; <c>none</c>, or <c>none, in runs of 8</c>, for decisions between runs of one build.</param>
/// <param name="Metric">The metric; <c>any</c> when at least one of the scenario's had.</param>
/// <param name="Decisions">Decisions that judged it.</param>
/// <param name="Regressed">How many of them said regressed.</param>
/// <param name="Inconclusive">How many were inconclusive.</param>
public sealed record SimulatedRate(string Scenario, string Injection, string Metric, long Decisions, long Regressed, long Inconclusive)
{
    /// <summary>The point that a false-alarm rate may reach.</summary>
    public const double HighestRate = 0.005;

    /// <summary>What the upper bound of a false-alarm rate may reach.</summary>
    public const double HighestBound = 0.007;

    /// <summary>Name of the row that counts decisions in which any metric regressed.</summary>
    public const string AnyMetric = "any";

    /// <summary>Pairs that a decision took on average.</summary>
    public double MeanPairs { get; init; }

    /// <summary>Share of decisions that said regressed.</summary>
    public double Rate => (double)Regressed / Decisions;

    /// <summary>One-sided 95 % Clopper–Pearson upper bound of <see cref="Rate"/>.</summary>
    public double Upper95 => ExactBinomial.UpperBound(Regressed, Decisions, 0.95);

    /// <summary>One-sided 95 % Clopper–Pearson lower bound of <see cref="Rate"/>.</summary>
    public double Lower95 => ExactBinomial.LowerBound(Regressed, Decisions, 0.95);

    /// <summary>Whether these are false alarms of one metric, and more than a gate may give.</summary>
    public bool IsTooMany => IsOfOneBuild && Metric != AnyMetric && (Rate > HighestRate || Upper95 > HighestBound);

    /// <summary>Whether nothing was put in: every alarm is false.</summary>
    public bool IsOfOneBuild => Injection == Gating.Injection.None.Name || Injection == Gating.Injection.NoneInRuns.Name;
}

/// <summary>A regression that is put into recorded figures, to see whether the gate finds it.</summary>
/// <param name="Name">What is put in.</param>
/// <param name="Metrics">The metrics in which it shows.</param>
/// <param name="Apply">The figures of a candidate's side with it.</param>
/// <param name="OnlyFirstPair">Whether a single side of a decision has it; else all have.</param>
internal sealed record Injection(string Name, IReadOnlyList<string> Metrics, Func<GateSide, GateSide> Apply, bool OnlyFirstPair = false)
{
    /// <summary>Nothing: both sides are the same build.</summary>
    public static Injection None { get; } = new("none", [], side => side);

    /// <summary>Nothing, into runs of eight neighbouring pairs: what they have in common stays.</summary>
    public static Injection NoneInRuns { get; } = new("none, in runs of 8", [], side => side) { RunLength = 8 };

    /// <summary>Neighbouring pairs that are drawn together.</summary>
    public int RunLength { get; private init; } = 1;

    public bool IsNone => this == None || this == NoneInRuns;

    /// <summary>The regressions that a gate has to find.</summary>
    public static IReadOnlyList<Injection> All { get; } =
    [
        Delay(0.10), Delay(0.20), Delay(0.30), Cost(0.05),
        Count("+1 commit", "commits", "writeTransactions"), Count("+1 query", "statements"),
        new("one lost event", ["lost"], Lost, OnlyFirstPair: true),
    ];

    private static Injection Delay(double share) => new(
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"+{share:0 %} delay"),
        [.. TimeRule.All.Select(rule => rule.Name)],
        side => side with
        {
            ThroughputPerSecond = side.ThroughputPerSecond / (1 + share),
            P50Ms = side.P50Ms * (1 + share),
            P95Ms = side.P95Ms * (1 + share),
            P99Ms = side.P99Ms * (1 + share),
        });

    private static Injection Cost(double share) => new(
        string.Create(System.Globalization.CultureInfo.InvariantCulture, $"+{share:0 %} cost"),
        [.. TimeRule.Costs.Select(rule => rule.Name)],
        side => side with
        {
            ServiceCpuMs = side.ServiceCpuMs * (1 + share),
            DatabaseCpuMs = side.DatabaseCpuMs * (1 + share),
            AllocatedBytes = side.AllocatedBytes * (1 + share),
        });

    private static Injection Count(string name, params string[] counters) => new(
        name, counters,
        side => side with { Counters = side.Counters.ToDictionary(c => c.Key, c => counters.Contains(c.Key) ? c.Value + 1 : c.Value) });

    private static GateSide Lost(GateSide side) =>
        side with { Faults = new Dictionary<string, long>(side.Faults) { ["lost"] = side.Faults.GetValueOrDefault("lost") + 1 } };
}

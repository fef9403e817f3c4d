using LoadTesting.Core.Analysis.Gating;

namespace IntegrationTests.Shared.Gating;

/// <summary>
/// Tests the gate with recorded runs of one build against itself: decisions over pairs that are drawn from the recorded
/// ones with replacement, each pair's sides swapped by a coin as <see cref="PairOrder"/> does it, go through the very
/// code that judges real pairs.
/// Without an injection every alarm is false; those are also counted over runs of neighbouring pairs, which keep what
/// neighbours share.
/// </summary>
internal static class GateSimulation
{
    /// <param name="recorded">Recorded pairs of one build, as a gate's result holds them.</param>
    /// <param name="decisions">Decisions for each scenario and injection, at least 1.</param>
    /// <param name="seed">Decides all draws.</param>
    /// <param name="design">How a decision records its pairs; ten of them when null.</param>
    /// <returns>For each scenario and injection a rate for each metric, and for any.</returns>
    /// <exception cref="FormatException">A scenario has fewer valid pairs than one decision needs.</exception>
    public static IReadOnlyList<SimulatedRate> Run(
        IReadOnlyList<GateRow> recorded, int decisions, int seed, GateDesign? design = null) =>
        Run(recorded, [Injection.None, Injection.NoneInRuns, .. Injection.All], decisions, seed,
            design ?? GateDesign.Fixed);

    public static IReadOnlyList<SimulatedRate> Run(
        IReadOnlyList<GateRow> recorded, IReadOnlyList<Injection> injections, int decisions, int seed,
        GateDesign design)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(decisions);
        var random = new Random(seed);
        return
        [
            .. from row in recorded
               let pool = Pool(row)
               from injection in injections.Select(injection => AtTheRateOf(pool, injection))
               where Changes(injection, pool)
               from rate in Rates(
                   row.Scenario, injection, Decide(row.Scenario, pool, injection, decisions, design, random), decisions)
               select rate,
        ];
    }

    private static List<GatePair> Pool(GateRow row)
    {
        var pool = row.Pairs.Where(pair => pair.IsValid()).ToList();
        return pool.Count >= PairJudge.MinimumPairs ? pool : throw new FormatException(
            $"{row.Scenario}: {pool.Count} recorded pairs are valid; at least "
                + $"{PairJudge.MinimumPairs} are needed to draw "
            + "from. Record more.");
    }

    /// <summary>A rate that is the same in every run is the arrival rate: a slower system keeps it.</summary>
    private static Injection AtTheRateOf(List<GatePair> pool, Injection injection)
    {
        const double Same = 1.001;
        var rates = pool.SelectMany(
            pair => new[] { pair.Base!.ThroughputPerSecond, pair.Candidate!.ThroughputPerSecond }).ToList();
        return injection.IsNone || !(rates.Max() <= Same * rates.Min())
            ? injection
            : injection
                with { Apply = side => injection.Apply(side) with { ThroughputPerSecond = side.ThroughputPerSecond } };
    }

    /// <summary>An injection into a counter that these runs do not have would test nothing.</summary>
    private static bool Changes(Injection injection, IReadOnlyList<GatePair> pool) =>
        injection.IsNone || injection.OnlyFirstPair
            || pool.Any(pair => !SameFigures(pair.Base!, injection.Apply(pair.Base!)));

    private static bool SameFigures(GateSide side, GateSide injected) =>
        side.P50Ms == injected.P50Ms && side.ServiceCpuMs == injected.ServiceCpuMs
            && side.AllocatedBytes == injected.AllocatedBytes
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
    private static GateRow Decide(
        string scenario, List<GatePair> pool, Injection injection, GateDesign design, Random random)
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
        counts.Where(
            count => injection.IsNone || count.Key == SimulatedRate.AnyMetric || injection.Metrics.Contains(count.Key))
            .Select(count =>
                new SimulatedRate(
                    scenario, injection.Name, count.Key, decisions, count.Value.Regressed, count.Value.Inconclusive)
                {
                    MeanPairs = (double)count.Value.Pairs / count.Value.Judged,
                });

    private readonly record struct SimulatedCount(long Judged, long Regressed, long Inconclusive, long Pairs);
}

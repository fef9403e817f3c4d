using IntegrationTests.Shared.Gating;
using LoadTesting.Core.Analysis.Gating;
using LoadTesting.Core.Results;

namespace Benchmarks;

/// <summary>
/// How often the gate raises a false alarm and how often it finds a regression, by simulated decisions over recorded
/// pairs of one build (<see cref="GateSimulation"/>). Prints the tables of the page on <c>wfperf gate</c>.
/// </summary>
internal static class GateErrorRates
{
    public const string Name = "gate-error-rates";

    private const int Decisions = 10_000;
    private const int Seed = 1;

    /// <exception cref="InvalidOperationException">No pairs are recorded, or the gate errs too often.</exception>
    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        var rows = new List<GateRow>();
        foreach (var file in Directory.EnumerateFiles(options.Recorded, "*.json").Order(StringComparer.Ordinal))
        {
            rows.AddRange((await GateJson.ReadFileAsync(file, cancellationToken)).Scenarios);
        }

        if (rows.Count == 0)
        {
            throw new InvalidOperationException(
                $"{options.Recorded} holds no recorded pairs. Record some with wfperf gate --pairs and "
                    + "copy their gate.json there.");
        }

        var tooMany = Print(rows, "Ten pairs", GateDesign.Fixed);
        foreach (var most in (int[])[30, 40, 80])
        {
            cancellationToken.ThrowIfCancellationRequested();
            tooMany.AddRange(
                Print(rows, $"At most {most} pairs, until the decision is clear", GateDesign.Sequential(most)));
        }

        if (tooMany.Count > 0)
        {
            throw new InvalidOperationException($"The gate raises too many false alarms:{Environment.NewLine}"
                + string.Join(Environment.NewLine, tooMany));
        }
    }

    private static List<string> Print(IReadOnlyList<GateRow> recorded, string title, GateDesign design)
    {
        var rates = GateSimulation.Run(recorded, Decisions, Seed, design);
        var injections = rates.Where(rate => !rate.IsOfOneBuild).Select(rate => rate.Injection).Distinct().ToList();
        Console.WriteLine($"{title}, {Figures.Count(Decisions)} decisions each:\n");
        Console.WriteLine($"| Recorded | False alarms | Upper bound 95 % | In runs | Upper bound 95 % | {string.Join(" | ", injections)} |");
        Console.WriteLine($"|---|{string.Concat(Enumerable.Repeat("---:|", 4 + injections.Count))}");
        foreach (var scenario in rates.GroupBy(rate => rate.Scenario))
        {
            var any =
                scenario.Where(rate => rate.Metric == SimulatedRate.AnyMetric).ToDictionary(rate => rate.Injection);
            var found = injections.Select(injection => any.TryGetValue(injection, out var rate)
                ? $"{Figures.Percent(rate.Rate)} ({Figures.Counter(rate.MeanPairs)})"
                : Figures.Absent);
            Console.WriteLine($"| {scenario.Key} | {Worst(Injection.None)} | {Worst(Injection.NoneInRuns)} | {string.Join(" | ", found)} |");

            string Worst(Injection none)
            {
                var worst =
                    scenario.Where(rate => rate.Injection == none.Name && rate.Metric != SimulatedRate.AnyMetric)
                    .MaxBy(rate => rate.Upper95);
                return $"{Figures.Percent(worst?.Rate)} | {Figures.Percent(worst?.Upper95)}";
            }
        }

        Console.WriteLine();
        return [.. rates.Where(rate => rate.IsTooMany)
            .Select(rate => $"{rate.Scenario}, {rate.Metric}: {rate.Regressed} of {rate.Decisions} ({title}).")];
    }
}

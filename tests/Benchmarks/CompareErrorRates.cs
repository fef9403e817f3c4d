using LoadTesting.Core.Analysis;
using LoadTesting.Core.Results;

namespace Benchmarks;

/// <summary>
/// How often <c>wfperf compare</c> has a word for one build beside itself, and how often it names a planted slow-down
/// of a fifth. Two systems are measured: a service that waits, and one that computes, whose figures scatter with the
/// machine. Prints the tables of the page on <c>wfperf compare</c>.
/// </summary>
internal static class CompareErrorRates
{
    public const string Name = "compare-error-rates";

    private const string Scenario = "signal-roundtrip-soak";
    private const string Profile = "memory";

    /// <summary>How much longer each operation takes.</summary>
    private const double Planted = 0.20;

    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(20);

    /// <exception cref="InvalidOperationException">A run failed, or compare errs more often than allowed.</exception>
    public static async Task RunAsync(BenchmarkOptions options, CancellationToken cancellationToken)
    {
        var results = Directory.CreateTempSubdirectory("compare-error-rates-");
        try
        {
            var waiting = await PairsAsync(
                options.Rounds,
                (run, isPlanted) => RunWaitingAsync(
                    Path.Combine(results.FullName, $"waits-{run}"), isPlanted, options.Duration, cancellationToken));
            Print("a service that waits 20 ms, 8 clients", waiting, options.Duration);
            var computing = await PairsAsync(
                options.Rounds, await ComputingAsync(results.FullName, options.Duration, cancellationToken));
            Print($"a service that computes: {Profile}-{Scenario}", computing, options.Duration);
            Require(waiting, computing);
        }
        finally
        {
            results.Delete(recursive: true);
        }
    }

    /// <summary>Each run of the build beside the next one of it, and beside the planted one between them.</summary>
    private static async Task<CompareErrors> PairsAsync(int pairs, Func<int, bool, Task<ComparisonSource>> measure)
    {
        var began = Stopwatch.GetTimestamp();
        var errors = new CompareErrors();
        var before = await measure(0, false);
        for (var pair = 1; pair <= pairs; pair++)
        {
            var planted = await measure((2 * pair) - 1, true);
            var after = await measure(2 * pair, false);
            errors.Planted.Add(Judge(before, planted));
            errors.Same.Add(Judge(before, after));
            before = after;
        }

        return errors with { Took = Stopwatch.GetElapsedTime(began) };
    }

    private static async Task<ComparisonSource> RunWaitingAsync(
        string results, bool isPlanted, TimeSpan load, CancellationToken cancellationToken)
    {
        var run = new RunSession(
            new MetricsTargets(), []) { Injected = isPlanted ? Invariant($"wait:+{100 * Planted:0}%") : null };
        await using (run)
        {
            var writer = await run.OpenAsync(results, Checkout.Root, results, cancellationToken);
            await run.MeasureAsync(
                async token =>
                {
                    var arranged = await ServiceUnderTest.ArrangeAsync(
                        start => WaitingService.StartAsync(isPlanted ? Wait * (1 + Planted) : Wait, start),
                        service => new WaitingScenario(service, load), token);
                    await writer.SetBackendAsync(
                        arranged.Scenarios[0].Profile, ((WaitingService)arranged.System).Describe(), token);
                    return arranged;
                },
                engine: null, cancellationToken);
        }

        return await ComparisonSource.LoadAsync(results, cancellationToken);
    }

    /// <summary>Runs in processes of their own, as a user makes them.</summary>
    private static async Task<Func<int, bool, Task<ComparisonSource>>> ComputingAsync(
        string results, TimeSpan load, CancellationToken cancellationToken)
    {
        Task<ComparisonSource> MeasureAsync(string name, string? injection) =>
            RunComputingAsync(Path.Combine(results, $"computes-{name}"), injection, load, cancellationToken);

        var usual = (await MeasureAsync("usual", null)).Run.Scenarios[0];
        // How much slower so much work makes it depends on the machine: a run finds out.
        var first = WorkFor(usual);
        var tried = (await MeasureAsync("tried", InjectionOf(first))).Run.Scenarios[0];
        var injection = InjectionOf(Scaled(first, usual.ThroughputPerSecond / tried.ThroughputPerSecond));
        return (run, isPlanted) => MeasureAsync($"{run}", isPlanted ? injection : null);
    }

    /// <summary>Seconds of work for each workflow, the share of what one takes.</summary>
    /// <exception cref="InvalidOperationException">The run does not say what an operation costs.</exception>
    private static double WorkFor(ScenarioResult scenario) =>
        Planted * (scenario.Resources?.Generator.GetValueOrDefault(ResourcesResult.CpuSecondsPerOperation)
            ?? throw new InvalidOperationException($"{scenario.Name}: the processor time "
                + "per operation is not recorded."));

    /// <summary>The work for the wanted slow-down, given the slow-down that the work of the trial caused.</summary>
    private static double Scaled(double work, double slower) =>
        work * Math.Clamp(Planted / Math.Max(slower - 1, 0.05), 0.2, 2);

    private static string InjectionOf(double seconds) => Invariant($"work:+{Math.Max(1, 1e6 * seconds):0}us");

    private static async Task<ComparisonSource> RunComputingAsync(
        string results, string? injection, TimeSpan load, CancellationToken cancellationToken)
    {
        var tests = AppContext.BaseDirectory.Replace(
            Path.Combine("tests", "Benchmarks", ""), Path.Combine("tests", "PerformanceTests", ""),
            StringComparison.Ordinal);
        var run = await Command.RunAsync(
            "dotnet",
            [
                Path.Combine(AppContext.BaseDirectory, "LoadTesting.Tool.dll"), "run",
                Path.Combine(tests, "PerformanceTests.dll"),
                "--scenario", Scenario, "--profile", Profile, "--duration", Invariant($"{load.TotalSeconds:0}s"),
                "--results", results,
            ],
            injection is null
                ? null : new Dictionary<string, string?> { [MeasurementVariables.InjectName] = injection },
            cancellationToken);
        return File.Exists(Path.Combine(results, "latest", "run.json"))
            ? await ComparisonSource.LoadAsync(results, cancellationToken)
            : throw new InvalidOperationException(
                $"A run left no result: {run.Describe()} Build it first: dotnet build tests/PerformanceTests.");
    }

    private static ComparisonCell Judge(ComparisonSource first, ComparisonSource other)
    {
        var cell = Comparison.Of([first, other]).Rows.Single().Cells[1];
        Console.WriteLine(Invariant(
            $"{other.Run.Scenarios[0].Injected ?? "the same"}: {cell.Finding}, {Of(cell.Throughput)} /s, {Of(cell.Median)} p50, ")
            + Invariant($"{Of(cell.P95)} p95{string.Concat(cell.Unlike.Select(unlike => $"; {unlike.What} {unlike.Other}"))}"));
        return cell;

        static string Of(ComparisonRatio? ratio) =>
            ratio is null ? "–" : Invariant($"×{ratio.Value:0.00} (±{100 * (ratio.Margin - 1):0} %)");
    }

    private static void Print(string system, CompareErrors errors, TimeSpan load)
    {
        Console.WriteLine(
            Invariant($"\n{system}, {load.TotalSeconds:0} s a run, {errors.Took.TotalMinutes:0.0} minutes:\n"));
        Console.WriteLine("| candidate | pairs | slower | faster | mixed | within | not ranked | median throughput |");
        Console.WriteLine("|---|---:|---:|---:|---:|---:|---:|---:|");
        Row("the same build", errors.Same);
        Row(Invariant($"{100 * Planted:0} % slower"), errors.Planted);

        static void Row(string name, IReadOnlyList<ComparisonCell> cells)
        {
            var ratios = cells.Select(cell => cell.Throughput?.Value).OfType<double>().Order().ToList();
            var median = ratios.Count == 0 ? "–" : Invariant($"×{ratios[ratios.Count / 2]:0.00}");
            Console.WriteLine($"| {name} | {cells.Count} | {string.Join(" | ", Counts(cells))} | {median} |");
        }

        static IEnumerable<int> Counts(IReadOnlyList<ComparisonCell> cells) =>
            new[]
            {
                ComparisonFinding.Slower, ComparisonFinding.Faster, ComparisonFinding.Mixed, ComparisonFinding.Within,
                ComparisonFinding.NotRanked,
            }.Select(finding => cells.Count(cell => cell.Finding == finding));
    }

    /// <summary>
    /// At most one wrong word in twenty pairs, on either system. Of the one that waits at least eighteen of twenty
    /// slow-downs are named; how many of the one that computes depends on how much the machine scatters.
    /// </summary>
    private static void Require(CompareErrors waiting, CompareErrors computing)
    {
        foreach (var errors in new[] { waiting, computing })
        {
            var wrong = errors.Same.Count(cell =>
                cell.Finding is ComparisonFinding.Slower or ComparisonFinding.Faster or ComparisonFinding.Mixed);
            if (20 * wrong > errors.Same.Count)
            {
                throw new InvalidOperationException(
                    $"{wrong} of {errors.Same.Count} pairs of one build have a word; "
                        + "1 of 20 is allowed. Was the machine quiet?");
            }
        }

        var named = waiting.Planted.Count(cell => cell.Finding == ComparisonFinding.Slower);
        if (20 * named < 18 * waiting.Planted.Count)
        {
            throw new InvalidOperationException(
                $"{named} of {waiting.Planted.Count} slow-downs are named; "
                    + "18 of 20 are required. Was the machine quiet?");
        }
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

/// <summary>The decisions of compare on pairs of runs.</summary>
internal sealed record CompareErrors
{
    /// <summary>Of one build beside itself.</summary>
    public List<ComparisonCell> Same { get; } = [];

    /// <summary>Of that build beside one that is slower on purpose.</summary>
    public List<ComparisonCell> Planted { get; } = [];

    /// <summary>How long the runs took.</summary>
    public TimeSpan Took { get; init; }
}

namespace UnitTests.Workflow.Simulation;

/// <summary>
/// Searches for broken promises. <c>WORKFLOW_SIMULATION_SEEDS</c> is how many seeds (default 2,000; a night has
/// 200,000),
/// <c>WORKFLOW_SIMULATION_FIRST</c> the first one, <c>WORKFLOW_SIMULATION_SEED</c> the only one, which is written down
/// step by step.
/// </summary>
public sealed class SimulationTests(ITestOutputHelper output)
{
    private const int Shown = 10;

    public static TheoryData<PlantedBug> Bugs => [.. Enum.GetValues<PlantedBug>().Where(b => b != PlantedBug.None)];

    [Fact]
    public void Cluster_keeps_its_promises_under_every_seed()
    {
        if (Number("WORKFLOW_SIMULATION_SEED") is { } only)
        {
            var notes = new List<string>();
            var result = SimulationRun.Of(only, notes: notes);
            notes.ForEach(output.WriteLine);
            Assert.Empty(result.Violations);
            return;
        }

        var first = Number("WORKFLOW_SIMULATION_FIRST") ?? 1;
        var seeds = Number("WORKFLOW_SIMULATION_SEEDS") ?? 2_000;
        var failed = new ConcurrentBag<SimulationResult>();
        var (next, commits) = (first - 1, 0L);

        // Dedicated threads, because each seed keeps one busy and tests that wait need those of the pool.
        Thread[] threads = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => new Thread(Search))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());

        output.WriteLine(
            string.Create(CultureInfo.InvariantCulture, $"{seeds} seeds from {first}, {commits} commits."));
        Assert.True(
            failed.IsEmpty, $"{failed.Count} of {seeds} seeds fail. Each is run again, step by step, by its line:\n"
            + string.Join('\n', failed.OrderBy(f => f.Seed).Take(Shown).Select(Describe)));

        void Search()
        {
            while (Interlocked.Increment(ref next) is var seed && seed < first + seeds)
            {
                var result = SimulationRun.Of(seed);
                Interlocked.Add(ref commits, result.Commits);
                if (result.Violations.Count > 0)
                {
                    failed.Add(result);
                    TestContext.Current
                        .SendDiagnosticMessage(Describe(result)); // A long search may be cut off before its end.
                }
            }
        }
    }

    [Fact]
    public void Same_seed_takes_the_same_steps_in_every_thread()
    {
        var runs = new ConcurrentBag<(int Seed, ulong Trace, int Steps)>();
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(_ => new Thread(() =>
        {
            for (var seed = 1; seed <= 40; seed++)
            {
                var result = SimulationRun.Of(seed);
                runs.Add((seed, result.Trace, result.Steps));
            }
        }))];
        Array.ForEach(threads, t => t.Start());
        Array.ForEach(threads, t => t.Join());

        Assert.Equal(120, runs.Count);
        Assert.Equal(40, runs.Distinct().Count());
        Assert.Equal(40, runs.Select(r => r.Trace).Distinct().Count());
    }

    [Theory]
    [MemberData(nameof(Bugs))]
    public void Planted_bug_is_found_within_two_thousand_seeds(PlantedBug bug)
    {
        var found = Enumerable.Range(1, 2_000).Select(seed => SimulationRun.Of(seed, bug))
            .FirstOrDefault(r => r.Violations.Count > 0);

        Assert.True(found is not null, $"{bug} was not found.");
        output.WriteLine($"{bug}: seed {found.Seed}: {found.Violations[0]}");
    }

    private static string Describe(SimulationResult failed) =>
        $"WORKFLOW_SIMULATION_SEED={failed.Seed} dotnet test tests/UnitTests --filter "
            + "FullyQualifiedName~Cluster_keeps_its_promises  # "
        + $"{failed.Violations.Count}: {failed.Violations[0]}";

    private static int? Number(string variable)
    {
        var text = Environment.GetEnvironmentVariable(variable);
        return string.IsNullOrEmpty(text) ? null
            : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number
            : throw new InvalidOperationException($"{variable} is '{text}'; it must be a whole number from 0.");
    }
}

namespace PerformanceTests.Findings;

/// <summary>
/// Causes that are there on purpose must stand first among the findings, nothing else may be named with medium or high
/// confidence, and a load without a cause must name none. Once each; as often as <c>WORKFLOW_PERF_FINDING_RUNS</c>
/// says, with a row of the page's table.
/// </summary>
[Trait(TierNames.Trait, TierNames.Findings)]
public sealed class PlantedCauseTests(RunFixture run)
{
    private const string RunsName = "WORKFLOW_PERF_FINDING_RUNS";

    // Of several runs four fifths must be right.
    private const double LeastRight = 0.8;

    // A cause that one run does not show is looked for again: rates are what the table is for.
    private const int MostAttempts = 3;

    [Fact]
    public Task Pool_of_too_few_connections_is_named() => NamesAsync(PlantedCauses.SmallPool);

    [Fact]
    public Task Slow_flush_is_named() => NamesAsync(PlantedCauses.SlowFlush);

    [Fact]
    public Task Service_that_computes_is_named() => NamesAsync(PlantedCauses.BusyService);

    [Fact]
    public Task Database_that_computes_is_named() => NamesAsync(PlantedCauses.BusyDatabase);

    [Fact]
    public Task Row_that_all_clients_update_is_named() => NamesAsync(PlantedCauses.SharedRow);

    [Fact]
    public Task Generator_with_blocked_threads_is_named() => NamesAsync(PlantedCauses.BlockedGenerator);

    [Fact]
    public Task Frozen_flush_is_named() => NamesAsync(PlantedCauses.FrozenFlush);

    [Fact]
    public Task Sleep_in_the_service_is_named() => NamesAsync(PlantedCauses.SleepingService);

    [Fact]
    public Task Lock_in_the_service_is_named() => NamesAsync(PlantedCauses.LockedService);

    [Fact]
    public Task Slow_broker_is_named() => NamesAsync(PlantedCauses.SlowBroker);

    [Fact]
    public Task Slow_consumer_is_named() => NamesAsync(PlantedCauses.SlowConsumer);

    [Fact]
    public Task Cold_service_is_named() => NamesAsync(PlantedCauses.ColdService);

    [Fact]
    public Task Busy_neighbour_is_named() => NamesAsync(PlantedCauses.BusyNeighbour);

    [Fact]
    public Task Light_load_of_queries_names_nothing() => NamesAsync(PlantedCauses.LightQueries);

    [Fact]
    public Task Light_load_of_commits_names_nothing() => NamesAsync(PlantedCauses.LightCommits);

    [Fact]
    public Task Light_load_of_workflows_names_nothing() => NamesAsync(PlantedCauses.LightWorkflows);

    private async Task NamesAsync(PlantedCause cause)
    {
        var repetitions = int.TryParse(Environment.GetEnvironmentVariable(RunsName), out var runs) ? runs : 1;
        if (repetitions > 1)
        {
            await CountAsync(cause, repetitions);
            return;
        }

        for (var attempt = 1; ; attempt++)
        {
            var judged = await JudgeAsync(cause);
            var wrong = judged.Wrong(cause.Resource).ToList();
            if (judged.Names(cause.Resource) && wrong.Count == 0)
            {
                return;
            }

            if (attempt == MostAttempts || (wrong.Count > 0 && !judged.IsDisturbed))
            {
                Assert.SkipWhen(
                    judged.IsDisturbed && Environment.GetEnvironmentVariable("WORKFLOW_PERF_STRICT") is not "1",
                    string.Create(CultureInfo.InvariantCulture,
                        $"Other processes used {judged.OtherProcessors:0.0} of {Environment.ProcessorCount} processors: {judged.Findings.Conclusion}"));
                Assert.Fail($"{cause.Name}: expected {cause.Resource ?? "nothing"}. "
                    + $"{FindingsText.Of(judged.Findings)}");
            }
        }
    }

    private async Task CountAsync(PlantedCause cause, int repetitions)
    {
        var judged = new List<ProvokedRun>();
        for (var i = 0; i < repetitions; i++)
        {
            judged.Add(await JudgeAsync(cause));
        }

        var right = judged.Count(each => each.Names(cause.Resource));
        var wrong = judged.Count(each => each.Wrong(cause.Resource).Any());
        var confident = judged.Count(each => each.Names(cause.Resource)
            && each.Findings.Ranked is [{ Confidence: not FindingConfidence.Low }, ..]);
        var others = string.Join(", ", judged.Where(each => !each.Names(cause.Resource))
            .Select(each => each.Findings.Ranked.FirstOrDefault()?.Resource ?? "nothing").CountBy(name => name)
            .Select(name => $"{name.Key} {name.Value}"));
        var row = $"| {cause.Name} | {cause.Resource ?? "nothing"} | {right} of {repetitions} | "
            + $"{(cause.Resource is null ? "" : confident)} | {wrong} | {others} |";
        TestContext.Current.TestOutputHelper?.WriteLine(row);
        Assert.True(right >= LeastRight * repetitions && wrong == 0, row);
    }

    private async Task<ProvokedRun> JudgeAsync(PlantedCause cause)
    {
        var judged = await cause.RunAsync(run);
        TestContext.Current.TestOutputHelper?.WriteLine(FindingsText.Of(judged.Findings));
        return judged;
    }
}

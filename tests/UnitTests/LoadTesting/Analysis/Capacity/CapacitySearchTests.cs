using LoadTesting.Core.Analysis.Capacity;

namespace UnitTests.LoadTesting.Analysis.Capacity;

public sealed class CapacitySearchTests
{
    private static readonly CapacityOptions Options = new() { Unit = "workflows" };

    [Theory]
    [InlineData(3_000)]
    [InlineData(137)]
    [InlineData(0.7)]
    public async Task Limit_lies_within_ten_percent_of_what_the_system_carries(double capacity)
    {
        var result = await SearchAsync(new ModelTarget(capacity));

        Assert.Equal(CapacityOutcome.Found, result.Outcome);
        Assert.InRange(capacity, result.Bracket!.Low, result.Bracket.High);
        Assert.InRange(result.LimitPerSecond!.Value / capacity, 0.9, 1.1);
        Assert.Equal(
            (result.Bracket.Low, result.Bracket.High), (result.Open!.LastComfortable, result.Open.FirstPressure));
    }

    [Fact]
    public async Task Load_steps_climb_by_the_square_root_of_two()
    {
        var target = new ModelTarget(3_000);

        var result = await SearchAsync(target);

        Assert.Equal([1, 2, 4, 8, 16, 32, 64], target.Kept);
        Assert.Equal(300, target.Offered[0], 1e-6);
        Assert.Equal(1, target.Offered[1] / target.Offered[0], 1e-9);
        Assert.Equal(Math.Sqrt(2), target.Offered[2] / target.Offered[1], 1e-9);
        Assert.All(result.Open!.Steps, step => Assert.True(step.Completed >= 295 || !step.Comfortable));
    }

    [Fact]
    public async Task Sentence_names_limit_bracket_and_what_binds()
    {
        var target = new ModelTarget(3_000)
        {
            Demands = [new("service CPU", 0.0004, 2), new("WAL flush", 0.0003, 1)],
            Waits = [new("IO:WALSync", 0.7)],
        };

        var result = await SearchAsync(target);

        Assert.Matches(
            @"^Limit [23],\d{3} workflows/s \(bracket 2,\d{3} \.\. 3,\d{3}\), bound by WAL flush; next limit service CPU\.$",
            result.Sentence);
        Assert.Equal(["WAL flush", "service CPU"], result.Bounds.Select(bound => bound.Resource));
        Assert.Equal((1 / 0.0003, 5_000), (result.Bounds[0].PerSecond, result.Bounds[1].PerSecond));
        Assert.InRange(result.Bounds[0].Utilisation, 0.7, 1);
    }

    [Fact]
    public async Task Limit_below_every_bound_is_a_lock()
    {
        var target =
            new ModelTarget(1_000) { Demands = [new("service CPU", 0.0004, 2)],
                Waits = [new("CPU", 0.6), new("Lock:transactionid", 0.3)] };

        var result = await SearchAsync(target);

        Assert.Contains(
            "bound by a lock or another serialisation, no measured resource (largest wait "
                + "Lock:transactionid); next limit service CPU",
            result.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void Limit_of_a_slow_system_is_its_latency()
    {
        BoundResult[] bounds = [new("service CPU", 0.0004, 2, 0.5, 5_000)];

        Assert.Equal(("latency, before any measured resource is full (largest wait IO:WALSync)", "service CPU"),
            UtilisationLaw.Attribute(bounds, 2_800, isSaturated: false, [new("IO:WALSync", 0.6)]));
        Assert.Equal(("service CPU", null), UtilisationLaw.Attribute(bounds, 4_000, isSaturated: false, []));
    }

    [Fact]
    public async Task Without_demands_nothing_is_said_to_bind()
    {
        var result = await SearchAsync(new ModelTarget(1_000));

        Assert.DoesNotContain("bound by", result.Sentence, StringComparison.Ordinal);
        Assert.Contains(
            result.Notes, note => note.Contains("the demand of no resource was measured", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Generator_that_gives_in_first_leaves_no_capacity()
    {
        var result = await SearchAsync(new ModelTarget(3_000) { GeneratorCapacity = 1_000 });

        Assert.Equal(CapacityOutcome.GeneratorLimited, result.Outcome);
        Assert.Null(result.LimitPerSecond);
        Assert.Null(result.Bracket);
        Assert.StartsWith(
            "No capacity: the load generator was the limit at 1,0", result.Sentence, StringComparison.Ordinal);
        Assert.Contains("(iterations started 80 ms late); ", result.Sentence, StringComparison.Ordinal);
        Assert.InRange(result.Open!.LastComfortable!.Value, 800, 1_000);
    }

    [Fact]
    public async Task Lone_bad_load_step_is_measured_again_and_does_not_count()
    {
        var result = await SearchAsync(new ModelTarget(3_000) { Disturbed = [7] });

        var again =
            result.Open!.Steps.Where(step => step.OfferedPerSecond == result.Open.Steps[7].OfferedPerSecond).ToList();
        Assert.Equal([(1, false), (2, true), (3, true)], again.Select(step => (step.Attempt, step.Comfortable)));
        Assert.InRange(result.LimitPerSecond!.Value, 2_700, 3_300);
    }

    [Fact]
    public async Task Load_step_that_is_bad_twice_counts()
    {
        var result = await SearchAsync(new ModelTarget(3_000) { Disturbed = [7, 8] });

        Assert.InRange(result.LimitPerSecond!.Value, 600, 849);
    }

    [Fact]
    public async Task Lone_good_load_step_is_a_disturbance_too()
    {
        // Beyond 3,000/s every first measurement of a rate looks good.
        var result = await SearchAsync(new ModelTarget(3_000) { IsLucky = attempt => attempt == 1 });

        Assert.InRange(result.LimitPerSecond!.Value, 2_700, 3_300);
        Assert.Contains(
            result.Open!.Steps, step => step is { Attempt: 1, Comfortable: true, OfferedPerSecond: > 3_300 });
    }

    [Fact]
    public async Task Build_ten_times_slower_finds_a_limit_and_falls_short()
    {
        var options = Options with { LeastPerSecond = 2_400 };
        var (sound, slow) =
            (await SearchAsync(new ModelTarget(3_000), options), await SearchAsync(new ModelTarget(300), options));

        Assert.Null(options.ShortfallOf(sound));
        Assert.Equal(CapacityOutcome.Found, slow.Outcome);
        Assert.Equal(240, slow.Open!.Steps[0].OfferedPerSecond!.Value, 1e-6);
        Assert.Matches(@"^the limit lies at 2\d\d\.?\d* to 3\d\d\.?\d* workflows/s, and 2,400/s must be carried$",
            options.ShortfallOf(slow));
        Assert.Equal(
            CapacityOutcome.NothingComfortable, (await SearchAsync(new ModelTarget(200), options)).Outcome);
    }

    [Fact]
    public async Task Load_step_where_the_system_fell_behind_too_is_the_systems()
    {
        var result = await SearchAsync(new ModelTarget(3_000) { GeneratorCapacity = 1_000, BegunGrowth = 500 });

        Assert.Equal(CapacityOutcome.Found, result.Outcome);
        Assert.InRange(result.LimitPerSecond!.Value, 700, 1_100);
    }

    [Fact]
    public async Task Lowest_load_step_under_pressure_gives_no_capacity()
    {
        var result = await SearchAsync(new ModelTarget(3_000) { Disturbed = [1, 2] });

        Assert.Equal(CapacityOutcome.NothingComfortable, result.Outcome);
        Assert.Equal(
            "No capacity: the lowest load step, 300.0 workflows/s, was under pressure already (50.0 % of the offered "
                + "operations completed in the window, at least 98 % must).", result.Sentence);
    }

    [Fact]
    public async Task System_that_completes_nothing_is_said_to()
    {
        var target = new ModelTarget(0);

        var result = await SearchAsync(target);

        Assert.Equal((CapacityOutcome.NothingComfortable, "No capacity: nothing completed on any closed load step."),
            (result.Outcome, result.Sentence));
        Assert.Empty(target.Offered);
    }

    [Fact]
    public async Task Limit_above_the_highest_load_step_is_not_reached()
    {
        var result = await SearchAsync(new ModelTarget(3_000), Options with { MaximumSteps = 3 });

        Assert.Equal((CapacityOutcome.NotReached, null), (result.Outcome, result.LimitPerSecond));
        Assert.Contains("not reached: 600.0 workflows/s", result.Sentence, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_out_of_range_are_named_together()
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(() =>
            SearchAsync(new ModelTarget(1), new CapacityOptions { Step = 1, FirstShare = 2, ClosedSteps = [0] }));

        Assert.Contains("Step is 1", error.Message, StringComparison.Ordinal);
        Assert.Contains("FirstShare is 2", error.Message, StringComparison.Ordinal);
        Assert.Contains("ClosedSteps is [0]", error.Message, StringComparison.Ordinal);
    }

    private static Task<CapacityResult> SearchAsync(ModelTarget target, CapacityOptions? options = null) =>
        new CapacitySearch(options ?? Options)
            .RunAsync(target, "ladder", "memory", HostingKind.InProcess, Cancel);
}

namespace UnitTests.LoadTesting.Load;

public sealed class ScenarioValidationTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    public static TheoryData<Action, string> BadArguments => new()
    {
        { () => Simulation.Inject(0, s_second, s_second), "'rate' is 0" },
        { () => Simulation.Inject(1, TimeSpan.Zero, s_second), "'interval' is 00:00:00" },
        { () => Simulation.Inject(1, s_second, -s_second), "'during' is -00:00:01" },
        { () => Simulation.Inject(1, 2 * s_second, s_second), "00:00:02 is longer than the duration 00:00:01" },
        { () => Simulation.Inject(1, s_second, s_second, (ArrivalPattern)9), "9" },
        { () => Simulation.KeepConstant(-3, s_second), "'copies' is -3" },
        { () => Simulation.KeepConstant(1, TimeSpan.Zero), "'during' is 00:00:00" },
        { () => Simulation.IterationsForConstant(1, 0), "'iterations' is 0" },
        { () => Simulation.IterationsForConstant(5, 4), "5 copies have nothing to do with 4" },
        { () => Simulation.RampingInject(-1, s_second, s_second), "'rate' is -1; it is at least 0" },
        { () => Simulation.RampingInject(1, 2 * s_second, s_second), "00:00:02 is longer than the duration 00:00:01" },
        { () => Simulation.RampingInject(1, s_second, TimeSpan.MaxValue), "it is at most 10000 days" },
        { () => Simulation.InjectRandom(-1, 5, s_second, s_second), "'minRate' is -1" },
        { () => Simulation.InjectRandom(0, 0, s_second, s_second), "'maxRate' is 0" },
        { () => Simulation.InjectRandom(6, 5, s_second, s_second), "lowest rate 6 is above the highest rate 5" },
        { () => Simulation.InjectRandom(1, 5, TimeSpan.Zero, s_second), "'interval' is 00:00:00" },
        { () => Simulation.IterationsForInject(0, s_second, 5), "'rate' is 0" },
        { () => Simulation.IterationsForInject(1, s_second, 0), "'iterations' is 0" },
        { () => Simulation.IterationsForInject(1, TimeSpan.Zero, 5), "'interval' is 00:00:00" },
        {
            () => Simulation.IterationsForInject(2, s_second, long.MaxValue),
            "9223372036854775807 iterations, 2 per 00:00:01, take longer than 10000 days"
        },
        { () => Simulation.RampingConstant(-1, s_second), "'copies' is -1; it is at least 0" },
        { () => Simulation.RampingConstant(1, TimeSpan.Zero), "'during' is 00:00:00" },
        { () => Simulation.Pause(-s_second), "'during' is -00:00:01" },
        { () => Named().WithLoadSimulations(Simulation.Pause(s_second)),
            "'orders' was given nothing but pauses (pause for 00:00:01)" },
        {
            () => Named().WithLoadSimulations(Simulation.RampingInject(0, s_second, s_second)),
            "'ramping inject from 0 to 0 per 00:00:01 for 00:00:01', which starts nothing"
        },
        { () => Named().WithLoadSimulations(Simulation.KeepConstant(1, s_second), Simulation.Pause(s_second),
            Simulation.RampingConstant(0, s_second)),
            "'ramping constant from 0 to 0 for 00:00:01', which starts nothing" },
        { () => Named().WithLoadSimulations(Simulation.RampingConstant(1, s_second), Simulation.Pause(s_second),
            Simulation.RampingInject(1, s_second, s_second)), "mixes open and closed" },
        { () => Named().WithWarmUpDuration(TimeSpan.Zero), "warm-up of 00:00:00" },
        { () => Named().WithMaxFailCount(-1), "-1" },
        { () => Named().WithMaxInFlight(0), "maximum of 0" },
        { () => Named().WithLoadSimulations(), "'orders' was given no load" },
        {
            () => Named()
                .WithLoadSimulations(Simulation.KeepConstant(1, s_second), Simulation.Inject(1, s_second, s_second)),
            "mixes open and closed"
        },
        { () => Threshold.Create("p99", 0, _ => true), "'p99' asks for at least 0" },
    };

    [Theory]
    [MemberData(nameof(BadArguments))]
    public void A_bad_argument_is_refused_by_value(Action make, string named) =>
        Assert.Contains(named, Assert.ThrowsAny<ArgumentException>(make).Message, StringComparison.Ordinal);

    [Fact]
    public async Task Run_names_all_its_errors_at_once()
    {
        var error = await Assert.ThrowsAsync<ArgumentException>(() => new LoadRunner().RunAsync(
            [Named(), Named()], new LoadOptions { CompletionTimeout = TimeSpan.Zero }, Cancel));

        Assert.Contains("2 scenarios named 'orders'", error.Message, StringComparison.Ordinal);
        Assert.Contains("'orders' has no load", error.Message, StringComparison.Ordinal);
        Assert.Contains("CompletionTimeout is 00:00:00", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_With_leaves_the_scenario_it_came_from_unchanged()
    {
        var scenario = Named();

        var changed = scenario.WithMaxFailCount(3).WithRestartIterationOnFail(false).WithWarmUpDuration(s_second);

        Assert.Equal((5_000, true, (TimeSpan?)null),
            (scenario.MaxFailCount, scenario.RestartIterationOnFail, scenario.WarmUpDuration));
        Assert.Equal((3, false, (TimeSpan?)s_second),
            (changed.MaxFailCount, changed.RestartIterationOnFail, changed.WarmUpDuration));
    }

    private static ScenarioProps Named() => Scenario.Create("orders", _ => Task.FromResult<IResponse>(Response.Ok()));
}

namespace UnitTests.LoadTesting.Load.Pacing;

public sealed class SimulationChainTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void Ramp_begins_where_the_previous_one_ended() => Assert.Equal(
        [
            "ramping inject from 0 to 20 per 00:00:01 for 00:00:05",
            "ramping inject from 20 to 50 per 00:00:01 for 00:00:05",
            "inject 30 per 00:00:01 for 00:00:02, even",
            "ramping inject from 30 to 0 per 00:00:01 for 00:00:05",
        ],
        Chain(
            Simulation.RampingInject(20, s_second, 5 * s_second),
            Simulation.RampingInject(50, s_second, 5 * s_second),
            Simulation.Inject(30, s_second, 2 * s_second),
            Simulation.RampingInject(0, s_second, 5 * s_second)));

    [Fact]
    public void Ramp_after_another_interval_begins_at_the_same_rate() => Assert.Equal(
        "ramping inject from 2.5 to 10 per 00:00:00.2500000 for 00:00:05",
        Chain(Simulation.IterationsForInject(10, s_second, 50),
            Simulation.RampingInject(10, s_second / 4, 5 * s_second))[1]);

    [Fact]
    public void A_ramp_after_random_rates_begins_at_the_last_one_drawn()
    {
        var random = (InjectRandomSimulation)Simulation.InjectRandom(10, 1_000, s_second, 3.5 * s_second, seed: 5);
        var rates = new Random(5);
        var drawn = Enumerable.Range(0, 4).Select(_ => rates.NextInt64(10, 1_001)).ToArray();

        Assert.Equal(
            $"ramping inject from {drawn[3]} to 1 per 00:00:01 for 00:00:01",
            Chain(random, Simulation.RampingInject(1, s_second, s_second))[1]);
        Assert.Equal("inject 10 to 1000 per 00:00:01 for 00:00:03.5000000, a new rate for each interval with seed 5",
            random.ToString());
    }

    [Fact]
    public void After_a_pause_a_ramp_begins_at_nothing() => Assert.Equal(
        [
            "ramping constant from 0 to 4 for 00:00:01", "pause for 00:00:02",
            "ramping constant from 0 to 8 for 00:00:01",
            "ramping constant from 8 to 2 for 00:00:01",
        ],
        Chain(
            Simulation.RampingConstant(4, s_second),
            Simulation.Pause(2 * s_second),
            Simulation.RampingConstant(8, s_second),
            Simulation.RampingConstant(2, s_second)));

    [Fact]
    public void A_chain_does_not_change_the_simulations_it_was_given()
    {
        var ramp = Simulation.RampingConstant(4, s_second);

        Assert.Equal("ramping constant from 3 to 4 for 00:00:01", Chain(Simulation.KeepConstant(3, s_second), ramp)[1]);
        Assert.Equal("ramping constant from 0 to 4 for 00:00:01", Chain(ramp)[0]);
    }

    [Fact]
    public void Injected_iterations_last_as_long_as_their_schedule()
    {
        Assert.Equal(2.5 * s_second, Simulation.IterationsForInject(10, s_second, 25).PlannedDuration);
        Assert.Equal(TimeSpan.FromTicks(3_333_334), Simulation.IterationsForInject(3, s_second, 1).PlannedDuration);
    }

    private static string[] Chain(params LoadSimulation[] simulations) =>
        [.. Scenario.Create("chain", _ => Task.FromResult<IResponse>(Response.Ok()))
            .WithLoadSimulations(simulations).LoadSimulations
            .Select(s => s.ToString())];
}

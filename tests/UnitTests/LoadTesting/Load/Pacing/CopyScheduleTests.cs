using System.Diagnostics;

namespace UnitTests.LoadTesting.Load.Pacing;

public sealed class CopyScheduleTests
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    [Fact]
    public void A_constant_number_of_copies_is_there_at_once() =>
        Assert.Equal([(0.0, 5)], Levels(Simulation.KeepConstant(5, s_second)));

    [Fact]
    public void First_copy_of_a_ramp_up_starts_at_once() =>
        Assert.Equal([(0.0, 1), (1.0, 2), (2.0, 3), (3.0, 4)], Levels(Simulation.RampingConstant(4, 4 * s_second)));

    [Fact]
    public void Last_copy_of_a_ramp_down_stays_to_the_end() =>
        Assert.Equal([(0.0, 4), (1.0, 3), (2.0, 2), (3.0, 1), (4.0, 0)],
            Levels(Simulation.KeepConstant(4, s_second), Simulation.RampingConstant(0, 4 * s_second)));

    [Fact]
    public void A_ramp_begins_with_the_copies_of_the_simulation_before_it() =>
        Assert.Equal([(0.0, 11), (0.5, 12)],
            Levels(Simulation.KeepConstant(10, s_second), Simulation.RampingConstant(12, s_second)));

    [Fact]
    public void A_ramp_that_stays_level_changes_nothing() =>
        Assert.Equal([(0.0, 3)], Levels(Simulation.KeepConstant(3, s_second), Simulation.RampingConstant(3, s_second)));

    [Theory]
    [InlineData(0, 1_000)]
    [InlineData(700, 33)]
    public void At_any_time_the_level_is_the_straight_line_rounded_up(int from, int to)
    {
        var before = from == 0 ? Simulation.Pause(s_second) : Simulation.KeepConstant(from, s_second);
        var levels = Levels(before, Simulation.RampingConstant(to, 7 * s_second));

        Assert.Equal(to, levels[^1].Copies);
        Assert.All(levels.Zip(levels.Skip(1)), change =>
        {
            var middle = (change.First.At + change.Second.At) / 2;
            Assert.Equal((int)Math.Ceiling(from + ((to - from) * middle / 7)), change.First.Copies);
        });
    }

    private static (double At, int Copies)[] Levels(params LoadSimulation[] chain)
    {
        var scenario =
            Scenario.Create("copies", _ => Task.FromResult<IResponse>(Response.Ok())).WithLoadSimulations(chain);
        return [.. CopySchedule.Of((ClosedSimulation)scenario.LoadSimulations[^1])
            .Select(level => ((double)level.Offset / Stopwatch.Frequency, level.Copies))];
    }
}

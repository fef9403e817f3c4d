namespace UnitTests.LoadTesting.Load;

public sealed class LoadPartTests
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    /// <summary>Every kind of open load, with rates that no number of parts divides.</summary>
    public static TheoryData<string> OpenLoads { get; } = [.. Open.Keys];

    private static Dictionary<string, LoadSimulation[]> Open => new()
    {
        ["even"] = [Simulation.Inject(97, Second, 3.3 * Second)],
        ["poisson"] = [Simulation.Inject(97, Second, 3 * Second, ArrivalPattern.Poisson, seed: 7)],
        ["ramps"] = [Simulation.RampingInject(50, Second, 2 * Second), Simulation.RampingInject(11, Second, Second)],
        ["random"] = [Simulation.InjectRandom(3, 40, Second, 5 * Second, seed: 3)],
        ["number"] = [Simulation.IterationsForInject(30, Second, 101)],
    };

    [Theory]
    [MemberData(nameof(OpenLoads))]
    public void Parts_of_an_open_load_are_its_schedule_to_the_tick(string kind)
    {
        var whole = Scenario.Create("s", _ => Runs.Ok).WithLoadSimulations(Open[kind]);

        for (var simulation = 0; simulation < whole.LoadSimulations.Count; simulation++)
        {
            var parts = Parts(4).SelectMany(part => Arrivals(whole.ShareOf(part).LoadSimulations[simulation]));

            Assert.Equal(Arrivals(whole.LoadSimulations[simulation]), parts.Order());
        }
    }

    [Fact]
    public void Parts_of_a_closed_load_add_up_and_too_many_are_refused()
    {
        var whole = Scenario.Create("s", _ => Runs.Ok).WithLoadSimulations(
            Simulation.RampingConstant(10, Second), Simulation.KeepConstant(10, Second),
            Simulation.IterationsForConstant(7, 1_001));

        var parts =
            Parts(4).Select(part => whole.ShareOf(part).LoadSimulations.Cast<ClosedSimulation>().ToList()).ToList();

        Assert.Equal([10, 10, 7], Enumerable.Range(0, 3).Select(place => parts.Sum(part => part[place].Copies)));
        Assert.Equal(1_001, parts.Sum(part => ((IterationsForConstantSimulation)part[2]).Iterations));
        AssertHolds(Assert.Throws<ArgumentException>(() => whole.ShareOf(new(1, 8))).Message, "use 7 parts at most");
    }

    [Fact]
    public void Every_key_is_accounted_for_by_one_part()
    {
        var parts = Parts(12).ToList();
        string[] keys = [.. parts.Select(part => part.KeyPrefix + Guid.NewGuid()), $"{Guid.NewGuid()}",
            "part13-of-nobody", "part", ""];

        Assert.All(keys, key => Assert.Single(parts, part => part.Owns(key)));
        Assert.All(parts, part => Assert.True(part.Owns(part.KeyPrefix + "x")));
    }

    [Theory]
    [InlineData("0/4"), InlineData("5/4"), InlineData("1/65"), InlineData("2"), InlineData("-1/4"), InlineData("a/b")]
    public void Text_that_names_no_part_is_refused(string text) =>
        AssertHolds(Assert.Throws<ArgumentException>(() => LoadPart.Parse(text)).Message, "such as 2/4");

    private static IEnumerable<LoadPart> Parts(int of) =>
        Enumerable.Range(1, of).Select(index => LoadPart.Parse($"{index}/{of}"));

    private static List<long> Arrivals(LoadSimulation simulation)
    {
        var (schedule, arrivals) = (ArrivalSchedule.Create((OpenSimulation)simulation), new List<long>());
        while (schedule.TryNext(out var offset))
        {
            arrivals.Add(offset);
        }

        return arrivals;
    }
}

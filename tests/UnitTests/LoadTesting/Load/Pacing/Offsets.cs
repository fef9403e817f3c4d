namespace UnitTests.LoadTesting.Load.Pacing;

/// <summary>All arrivals of the last of some simulations that follow each other.</summary>
internal static class Offsets
{
    internal static List<long> OfLast(params LoadSimulation[] chain)
    {
        var scenario =
            Scenario.Create("offsets", _ => Task.FromResult<IResponse>(Response.Ok())).WithLoadSimulations(chain);
        var schedule = ArrivalSchedule.Create((OpenSimulation)scenario.LoadSimulations[^1]);
        var offsets = new List<long>();
        while (schedule.TryNext(out var offset))
        {
            offsets.Add(offset);
        }

        return offsets;
    }
}

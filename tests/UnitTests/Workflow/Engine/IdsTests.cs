namespace UnitTests.Workflow.Engine;

public sealed class IdsTests
{
    [Fact]
    public async Task Ids_of_many_threads_are_distinct_version_7_ids()
    {
        var instant = new DateTimeOffset(2026, 11, 22, 12, 0, 0, 123, TimeSpan.Zero);

        var ids = (await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(() => Enumerable.Range(0, 5_000)
            .Select(_ => EngineRuntime.OfProcess.NewId(instant)).ToArray())))).SelectMany(part => part).ToArray();

        Assert.Equal(ids.Length, ids.Distinct().Count());
        Assert.All(ids, id => Assert.Equal((7, true), (id.Version, id.Variant is >= 8 and <= 11)));
        var millisecond = Guid.CreateVersion7(instant).ToString()[..13];
        Assert.All(ids, id => Assert.StartsWith(millisecond, id.ToString(), StringComparison.Ordinal));
    }
}

using Workflow.Engine.Commands;

namespace UnitTests.Workflow.Engine;

public sealed class RandomizedRunTests
{
    private const int Streams = 3;

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, 40)];

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Random_faults_conserve_every_instance_and_signal(int seed)
    {
        var run = new RandomizedRun(seed);
        var content = await run.RunAsync();
        Assert.True(run.FailedFlushes > 0);

        var instances = await content.ListInstancesAsync(new() { Limit = 1_000 }, Cancel);
        Assert.Equal(run.Started.Order(), instances.Where(i => ParentOf(i) is null).Select(i => i.Id).Order());
        AssertChildren(instances);
        Assert.All(instances, i =>
            Assert.Contains(
                i.State, (InstanceState[])[InstanceState.Waiting, InstanceState.Completed, InstanceState.Failed]));
        Assert.DoesNotContain(instances, i => i is { Definition: "hasty", State: InstanceState.Waiting });

        await using var lane = await content.OpenLaneAsync(new(0, 1), Cancel);
        var left = await lane.LoadAsync(Cancel);
        AssertSignals(run.Accepted, [.. instances.SelectMany(Taken)], instances.Where(i => !i.IsOver), left);
        await AssertEventsAsync(content, instances);
    }

    /// <summary>Every parent called one child, and both are over or neither is.</summary>
    private static void AssertChildren(IReadOnlyList<InstanceRow> instances)
    {
        var children = instances.Where(i => ParentOf(i) is not null).ToArray();
        Assert.Equal(instances.Where(i => i.Definition == "calling").Select(i => (Guid?)i.Id).Order(),
            children.Select(ParentOf).Order());
        Assert.All(children, child =>
        {
            var parent = instances.Single(i => i.Id == ParentOf(child));
            Assert.Equal(
                child.State is InstanceState.Waiting ? InstanceState.Waiting : InstanceState.Completed, parent.State);
            Assert.Equal(
                child.State is InstanceState.Failed, parent.Body.Contains("\"o\":\"sorry\"", StringComparison.Ordinal));
        });
    }

    private static Guid? ParentOf(InstanceRow row) =>
        JsonDocument.Parse(row.Body).RootElement.TryGetProperty("p", out var parent) ? parent.GetGuid() : null;

    /// <summary>
    /// Every acknowledged signal was taken once or is still there, and no instance waits for a signal that is there.
    /// </summary>
    /// <param name="live">The live instances, resident and dormant.</param>
    private static void AssertSignals(
        IReadOnlyCollection<int> accepted, IReadOnlyList<int> taken, IEnumerable<InstanceRow> live, LaneSnapshot left)
    {
        var pending = left.Pending.ToLookup(p => p.Kind);
        AcceptedSignal[] signals = [.. pending[PendingKind.Signal].Select(AcceptedSignal.Of)];
        Assert.Empty(pending[PendingKind.Message]);
        var buffered =
            signals.Select(s => int.Parse(s.Payload!, System.Globalization.CultureInfo.InvariantCulture)).ToArray();
        Assert.Equal(accepted.Order(), taken.Concat(buffered).Order());
        Assert.NotEmpty(taken);

        var awaited = live.SelectMany(Waits).ToArray();
        Assert.Empty(awaited.Select(w => w.Key).Intersect(signals.Select(s => s.CorrelationKey!)));
        Assert.Subset(
            awaited.Select(w => w.Id).ToHashSet(), pending[PendingKind.Subscription].Select(s => s.Id).ToHashSet());
    }

    /// <summary>Each end is published once, and no stream has a gap.</summary>
    private static async Task AssertEventsAsync(IWorkflowStore content, IReadOnlyList<InstanceRow> instances)
    {
        var ends = new List<(string Type, Guid Instance)>();
        for (var stream = 0; stream < Streams; stream++)
        {
            var events = await content.ReadEventsAsync(stream, 0, 10_000, Cancel);
            Assert.Equal(Enumerable.Range(1, events.Count).Select(i => (long)i), events.Select(e => e.Sequence));
            ends.AddRange(
                events.Select(
                    e => (e.Type, JsonDocument.Parse(e.Body).RootElement.GetProperty("instanceId").GetGuid())));
        }

        var finished = instances.Where(i => i.State is InstanceState.Completed or InstanceState.Failed)
            .Select(i => ($"Instance{i.State}", i.Id));
        Assert.Equal(finished.Order(), ends.Order());
    }

    private static IEnumerable<int> Taken(InstanceRow row)
    {
        var variables = JsonDocument.Parse(row.Body).RootElement.GetProperty("v");
        return from name in (string[])["one", "two"]
               where variables.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.Number
               select variables.GetProperty(name).GetInt32();
    }

    private static IEnumerable<(Guid Id, string Key)> Waits(InstanceRow row) =>
        JsonDocument.Parse(row.Body).RootElement.TryGetProperty("w", out var waits)
            ? waits.EnumerateArray().Where(w => w.TryGetProperty("y", out _))
                .Select(w => (w.GetProperty("i").GetGuid(), w.GetProperty("y").GetString()!))
            : [];
}

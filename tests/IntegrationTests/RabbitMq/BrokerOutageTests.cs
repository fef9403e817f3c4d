using Workflow.Engine.InMemory;

namespace IntegrationTests.RabbitMq;

/// <summary>A broker that crashes under a working engine.</summary>
[Trait("Category", "Extended")]
public sealed class BrokerOutageTests(BackendFixture backends)
{
    private const int Count = 600;
    private static readonly JsonElement Answer = JsonSerializer.SerializeToElement(new { approved = true });

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Broker_restarted_during_a_run_loses_no_event(bool killed)
    {
        await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        await using var broker = await BrokerTests.OwnAsync();
        await using var subject = await InProcessSubject.StartAsync(
            "memory", new InMemoryStore(), 2, [], Cancel, broker: broker);
        await subject.RegisterAsync(
            await File.ReadAllTextAsync(
                Path.Combine(Checkout.Root, "fixtures", "definitions", "signal-roundtrip.json"), Cancel),
            Cancel);
        var awaiter = subject.Observer.Awaiter;
        var keys = Enumerable.Range(0, Count).Select(n => $"outage-{n}").ToArray();
        var waits = keys.Select(key => awaiter.Register(nameof(InstanceCompleted), key, Eventually.Deadline)).ToArray();

        // A third before the outage, a third while the broker is away, a third when it is back.
        await RunAsync(subject, keys[..(Count / 3)]);
        await waits[0].Arrival.WaitAsync(Eventually.Deadline, Cancel);
        await (killed ? broker.Host.KillAsync(Cancel) : broker.StopAsync(Cancel));
        await RunAsync(subject, keys[(Count / 3)..(2 * Count / 3)]);
        await broker.Host.StartAgainAsync(Cancel);
        await RunAsync(subject, keys[(2 * Count / 3)..]);
        await Task.WhenAll(waits.Select(wait => wait.Arrival)).WaitAsync(Eventually.Deadline, Cancel);

        await subject.WaitForIdleAsync(Cancel).WaitAsync(Eventually.Deadline, Cancel);
        var (seen, counts) = (awaiter.Snapshot(), await subject.CountAsync(Cancel));
        TestContext.Current.TestOutputHelper?.WriteLine($"{(killed ? "killed" : "stopped")}: {seen}");
        Assert.Equal((0, Count), (seen.Lost, seen.Matched));
        Assert.Equal(
            (Count, Count, 0),
            (
                (int)counts.Started,
                (int)counts.Completed,
                (int)(counts.LiveInstances + counts.PendingCommands + counts.UnpublishedEvents)));
        // An event that the broker redelivers long after its match was forgotten counts as unmatched.
        Assert.Equal(seen.Observed, seen.Matched + seen.Duplicate + seen.Buffered + seen.Unmatched);
    }

    [Fact]
    public async Task Events_of_a_lane_keep_their_order_while_nothing_fails()
    {
        var broker = (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        await using var subject = await InProcessSubject.StartAsync(
            "memory", new InMemoryStore(), 2, [], Cancel, broker: broker);
        await subject.RegisterAsync(
            await File.ReadAllTextAsync(
                Path.Combine(Checkout.Root, "fixtures", "definitions", "signal-roundtrip.json"), Cancel),
            Cancel);
        var awaiter = subject.Observer.Awaiter;
        var keys = Enumerable.Range(0, Count).Select(n => $"order-{n}").ToArray();
        var waits = keys.Select(key => awaiter.Register(nameof(InstanceCompleted), key, Eventually.Deadline)).ToArray();

        await RunAsync(subject, keys);
        await Task.WhenAll(waits.Select(wait => wait.Arrival)).WaitAsync(Eventually.Deadline, Cancel);

        var seen = awaiter.Snapshot();
        Assert.Equal((Count, 0, 0), ((int)seen.Matched, (int)seen.Duplicate, (int)seen.OutOfOrder));
    }

    private static Task RunAsync(InProcessSubject subject, IEnumerable<string> keys) =>
        Task.WhenAll(keys.Select(async key =>
        {
            await subject.StartAsync(
                "signal-roundtrip",
                key,
                JsonSerializer.SerializeToElement(new { requestId = key, requester = "outage" }),
                Cancel);
            await subject.SignalAsync("roundtrip", key, Answer, null, Cancel);
        }));
}

namespace IntegrationTests.RabbitMq;

/// <summary>The web service's events, consumed in another process.</summary>
[Trait("Category", "Extended")]
public sealed class ServiceEventTests(BackendFixture backends)
{
    private const int Count = 50;

    [Fact]
    public async Task Events_of_the_web_service_arrive_once_over_the_broker()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Only Linux has an id of the boot whose stamps may be compared.");
        var broker = (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
        await using var subject = await HttpSubject.StartAsync("memory", new WebServiceOptions(), Cancel, broker);
        await subject.RegisterAsync(
            await File.ReadAllTextAsync(
                Path.Combine(Checkout.Root, "fixtures", "definitions", "signal-roundtrip.json"), Cancel),
            Cancel);
        subject.Observer.BeginMeasuring(
            (await File.ReadAllTextAsync("/proc/sys/kernel/random/boot_id", Cancel)).Trim());
        var awaiter = subject.Observer.Awaiter;

        for (var n = 0; n < Count; n++)
        {
            var key = $"over-broker-{n}";
            var wait = awaiter.Register(nameof(InstanceCompleted), key, Eventually.Deadline);
            await subject.StartAsync(
                "signal-roundtrip",
                key,
                JsonSerializer.SerializeToElement(new { requestId = key, requester = "test" }),
                Cancel);
            await subject.SignalAsync(
                "roundtrip", key, JsonSerializer.SerializeToElement(new { approved = true }), null, Cancel);
            Assert.False((await wait.Arrival.WaitAsync(Eventually.Deadline, Cancel)).IsLost);
        }

        var seen = awaiter.Snapshot();
        Assert.Equal(
            (Count, Count, 0, 0), ((int)seen.Matched, (int)seen.Observed, (int)seen.Duplicate, (int)seen.OutOfOrder));
        Assert.Equal(
            ["queueWait", "execution", "commit", "publish", "delivery"],
            subject.Observer.ServerSplit.Select(part => part.Key));
        Assert.All(subject.Observer.ServerSplit, part => Assert.Equal(Count, part.Value.Count));
    }
}

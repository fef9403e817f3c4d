using Workflow.Contracts;

namespace IntegrationTests.RabbitMq;

/// <summary>Events arrive over a broker as they were sent.</summary>
[Trait("Category", "Integration")]
public sealed class BrokerEventTests(BackendFixture backends)
{
    private static readonly JsonElement Payload = JsonSerializer.SerializeToElement(
        new { text = "ä", number = 1.5, list = new[] { 1, 2 }, nothing = (string?)null });

    [Fact]
    public async Task Event_of_every_type_arrives_with_its_content()
    {
        var broker = await BrokerAsync();
        await AssertArrivesAsync(async consume => await BrokerEventBus.StartAsync(broker, consume, Cancel));
    }

    [Fact]
    public Task Event_of_every_type_arrives_within_the_process() =>
        AssertArrivesAsync(async consume => await InMemoryEventBus.StartAsync(consume, Cancel));

    [Fact]
    public async Task Two_buses_on_one_broker_do_not_hear_each_other()
    {
        var broker = await BrokerAsync();
        var (first, second) = (new ConcurrentQueue<string>(), new ConcurrentQueue<string>());
        var came = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var one = await BrokerEventBus.StartAsync(broker, (next, _) => first.Enqueue(next.Id), Cancel);
        await using var other = await BrokerEventBus.StartAsync(
            broker,
            (next, _) =>
            {
                second.Enqueue(next.Id);
                came.TrySetResult();
            },
            Cancel);

        await other.Publisher.PublishAsync(Events().First(), Cancel);
        await came.Task.WaitAsync(Eventually.Deadline, Cancel);

        Assert.Single(second);
        Assert.Empty(first);
    }

    private static async Task AssertArrivesAsync(Func<Action<IntegrationEvent, long>, Task<EventBus>> startAsync)
    {
        var sent = Events().ToArray();
        var received = new ConcurrentQueue<IntegrationEvent>();
        await using (var bus = await startAsync((next, _) => received.Enqueue(next)))
        {
            foreach (var next in sent)
            {
                await bus.Publisher.PublishAsync(next, Cancel);
            }

            await Eventually.HoldsAsync(() => received.Count >= sent.Length, "the arrival of all events");
        }

        Assert.Equal(EventTypeCount(), sent.Select(e => e.GetType()).Distinct().Count());
        Assert.Equal(
            sent.Select(Json).Order(StringComparer.Ordinal), received.Select(Json).Order(StringComparer.Ordinal));
    }

    private static string Json(IntegrationEvent value) =>
        JsonSerializer.Serialize(value, value.GetType(), ContractsJson.Default);

    private static int EventTypeCount() =>
        typeof(IntegrationEvent).Assembly.GetTypes().Count(type => type.IsSubclassOf(typeof(IntegrationEvent)));

    private static IEnumerable<IntegrationEvent> Events()
    {
        var now = new DateTimeOffset(2026, 3, 17, 12, 0, 0, 1, TimeSpan.Zero);
        var stamps = new EventTimestamps
        {
            AcceptedUtc = now, ExecutedUtc = now, CommittedUtc = now, PublishedUtc = now,
            AcceptedTicks = 1, ExecutedTicks = 2, ExecutionTicks = 1,
            CommittedTicks = 3, PublishedTicks = long.MaxValue,
            TicksPerSecond = 1_000_000_000, BootId = "boot",
        };
        yield return new InstanceCompleted
        {
            Id = "0-1", InstanceId = Guid.CreateVersion7(), ParentId = Guid.CreateVersion7(),
            Definition = "d", DefinitionVersion = 2,
            CorrelationKey = "k", Output = Payload, Timestamps = stamps,
        };
        yield return new InstanceCompleted
        {
            Id = "0-2",
            InstanceId = Guid.CreateVersion7(),
            Timestamps = stamps with { CommittedUtc = null, PublishedTicks = null },
        };
        yield return new InstanceCompleted
        {
            Id = "0-10", TraceParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", Timestamps = stamps,
        };
        yield return new InstanceFailed { Id = "0-3", Error = "wrong", Timestamps = stamps };
        yield return new InstanceCancelled { Id = "0-4", Reason = "asked", Timestamps = stamps };
        yield return new InstanceSuspended { Id = "0-11", Timestamps = stamps };
        yield return new InstanceResumed { Id = "0-12", Timestamps = stamps };
        yield return new InstanceRetried { Id = "0-13", Step = "check", Timestamps = stamps };
        yield return new TaskCreated
        {
            Id = "0-5",
            Groups = ["a", "b"],
            TaskId = Guid.CreateVersion7(),
            Step = "check",
            Timestamps = stamps,
        };
        yield return new TaskCompleted
            { Id = "0-6", TaskId = Guid.CreateVersion7(), Step = "check", Timestamps = stamps };
        yield return new EventRaised { Id = "0-7", Name = "OrderConfirmed", Payload = Payload, Timestamps = stamps };
        yield return new SignalReceived
            { Id = "0-8", Name = "burst", DueAt = now, Payload = Payload, Timestamps = stamps };
        yield return new SignalExpired { Id = "0-9", Name = "late", Reason = "nobody", Timestamps = stamps };
        yield return new DefinitionRegistered
        {
            Id = "0-11", Definition = "d", DefinitionVersion = 3, ContentHash = "4711", Timestamps = stamps,
        };
    }

    private async Task<RabbitMqServer> BrokerAsync() =>
        (RabbitMqServer)await backends.Catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, Cancel);
}

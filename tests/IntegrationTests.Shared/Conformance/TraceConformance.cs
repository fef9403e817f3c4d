using System.Diagnostics;

namespace IntegrationTests.Shared.Conformance;

/// <summary>The trace of a command continues in its instance, activities and events if it is recorded.</summary>
public abstract class TraceConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Traced =
        """
        { "name": "traced", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= id", "next": "call" },
          "call": { "type": "invoke", "activity": "work", "next": "done" },
          "done": { "type": "end" } } }
        """;

    private readonly RecordingPublisher _publisher = new();
    private string? _within;

    [Fact]
    public async Task Start_signal_activity_and_publication_are_one_trace()
    {
        var engine = await EngineAsync(Options()).WithAsync(Traced);
        using var trace = new RecordedTrace();

        var started = await engine.StartAsync("traced", """{ "id": "t" }""");
        await engine.SignalAsync("go", "t");
        var completed = await engine.Events.CompletedAsync(started.Id, Cancel);

        var spans = await trace.EndedAsync(
            "start traced", "signal go", "resume traced", "invoke work", "publish InstanceCompleted");
        Assert.Equal(5, spans.Count);
        var start = spans["start traced"];
        Assert.Equal((start.Id, start.Id), (completed.TraceParent, _publisher.Published.Single().TraceParent));
        Assert.Equal((trace.Root.SpanId, trace.Root.SpanId), (start.ParentSpanId, spans["signal go"].ParentSpanId));
        Assert.Equal(spans["signal go"].SpanId, spans["resume traced"].ParentSpanId);
        Assert.Equal(
            (start.SpanId, start.SpanId),
            (spans["invoke work"].ParentSpanId, spans["publish InstanceCompleted"].ParentSpanId));
        Assert.Equal(
            (spans["invoke work"].Id, spans["publish InstanceCompleted"].Id), (_within, _publisher.Spans.Single()));
        Assert.Equal(started.Id, spans["invoke work"].GetTagItem("workflow.instance.id"));
        Assert.Empty(spans["resume traced"].Links);
    }

    [Fact]
    public async Task Signal_of_another_trace_is_linked()
    {
        var first = await EngineAsync(Options()).WithAsync(Traced);
        using var own = new RecordedTrace();
        var started = await first.StartAsync("traced", """{ "id": "t" }""");
        own.Leave();
        await first.DisposeAsync();
        var second = await EngineAsync(Options());
        using var other = new RecordedTrace();

        await second.SignalAsync("go", "t");
        var completed = await second.Events.CompletedAsync(started.Id, Cancel);

        var spans = await own.EndedAsync("start traced", "resume traced", "invoke work", "publish InstanceCompleted");
        Assert.Equal(spans["start traced"].Id, completed.TraceParent);
        var signal = (await other.EndedAsync("signal go"))["signal go"];
        Assert.Equal(signal.Context.SpanId, Assert.Single(spans["resume traced"].Links).Context.SpanId);
    }

    [Fact]
    public async Task Untraced_instance_joins_the_trace_of_a_signal()
    {
        var engine = await EngineAsync(Options()).WithAsync(Traced);
        var started = await engine.StartAsync("traced", """{ "id": "t" }""");
        using var trace = new RecordedTrace();

        await engine.SignalAsync("go", "t");
        var completed = await engine.Events.CompletedAsync(started.Id, Cancel);

        var spans = await trace.EndedAsync("signal go", "resume traced", "invoke work", "publish InstanceCompleted");
        Assert.Equal(spans["signal go"].Id, completed.TraceParent);
    }

    [Fact]
    public async Task Buffered_signal_keeps_its_trace()
    {
        var engine =
            await EngineAsync(Options() with { SignalReceivers = [new() { Name = "burst" }] }).WithAsync(Traced);
        using var trace = new RecordedTrace();
        await engine.SignalAsync("go", "t");
        await engine.SignalAsync("burst", "t");
        var received = (await engine.Events.WaitAsync<SignalReceived>(1, _ => true, Cancel))[0];
        trace.Leave();

        var started = await engine.StartAsync("traced", """{ "id": "t" }""");
        var completed = await engine.Events.CompletedAsync(started.Id, Cancel);

        var spans = await trace.EndedAsync(
            "signal go", "signal burst", "resume traced", "invoke work", "publish InstanceCompleted",
            "publish SignalReceived");
        Assert.Equal((spans["signal go"].Id, spans["signal burst"].Id), (completed.TraceParent, received.TraceParent));
    }

    [Theory]
    [InlineData(false), InlineData(true)]
    public async Task Caller_who_records_nothing_leaves_no_trace(bool within)
    {
        var engine = await EngineAsync(Options()).WithAsync(Traced);
        using var trace = within ? new RecordedTrace(recorded: false) : null;

        var started = await engine.StartAsync("traced", """{ "id": "t" }""");
        await engine.SignalAsync("go", "t");
        var completed = await engine.Events.CompletedAsync(started.Id, Cancel);
        await engine.IdleAsync();

        Assert.Null(completed.TraceParent);
        Assert.DoesNotContain("traceparent", EventTypes.ToJson(completed), StringComparison.OrdinalIgnoreCase);
        Assert.True(trace is null or { Count: 0 });
    }

    [Fact]
    public async Task Command_that_is_refused_ends_its_span_with_the_code()
    {
        var engine = await EngineAsync(Options());
        using var trace = new RecordedTrace();

        await Assert.ThrowsAsync<DefinitionNotFoundException>(() => engine.StartAsync("nothing"));

        var span = (await trace.EndedAsync("start nothing"))["start nothing"];
        Assert.Equal((ActivityStatusCode.Error, "definition-not-found"), (span.Status, span.GetTagItem("error.type")));
    }

    private WorkflowEngineOptions Options() => new()
    {
        Lanes = 2,
        Publishers = [_publisher],
        Activities =
        [
            TestActivities.Of("work", (input, _) =>
            {
                _within = Activity.Current?.Id;
                return new(input);
            }),
        ],
    };

    private sealed class RecordingPublisher : IEventPublisher
    {
        public ConcurrentQueue<IntegrationEvent> Published { get; } = new();
        public ConcurrentQueue<string?> Spans { get; } = new();

        public Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            Published.Enqueue(integrationEvent);
            Spans.Enqueue(Activity.Current?.Id);
            return Task.CompletedTask;
        }
    }
}

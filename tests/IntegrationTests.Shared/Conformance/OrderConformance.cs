using PerformanceTesting.Processes;

namespace IntegrationTests.Shared.Conformance;

/// <summary>The example definition, every step type in it, from end to end.</summary>
public abstract class OrderConformance<TStores>(TStores stores) : EngineConformance<TStores>(stores)
    where TStores : StoreFixture
{
    private const string Policy =
        """{ "name": "policy", "version": 1, "start": "done", "steps": { "done": { "type": "end", "output": { "number": "= \"P-\" + id" } } } }""";

    [Fact]
    public async Task Order_passes_every_kind_of_step()
    {
        var time = new ManualTime();
        var engine = await StartAsync(time);
        var order = await engine.StartAsync(
            "order", """{ "price": 30, "quantity": 5, "requestId": "r-1", "orderId": "o-1", "agent": "ann" }""",
            key: "r-1");

        Assert.True((await engine.SignalAsync("resume", "r-1", "\"yes\"")).Delivered);
        await engine.IdleAsync();
        Assert.Equal("delay", Assert.Single((await engine.ViewAsync(order.Id)).Waits).Kind);
        time.Advance(TimeSpan.FromSeconds(2));
        var task = (await engine.Events.WaitAsync<TaskCreated>(1, _ => true, Cancel))[0];
        Assert.Equal(("ann", "check"), (task.Assignee, task.Step));
        Assert.Equal(["underwriters"], task.Groups);
        await engine.Engine.CompleteTaskAsync(
            new() { TaskId = task.TaskId, Output = Workflow.Abstractions.Value.From("approved") }, Cancel);

        Assert.Equal("""{"total":150}""", await engine.OutputAsync(order.Id));
        Assert.Equal("""{"id":"o-1"}""", Assert.Single(engine.Events.Of<EventRaised>()).Payload!.Value.GetRawText());
        var view = await engine.ViewAsync(order.Id);
        Assert.Equal(
            ("yes", "approved", "P-o-1", true, 100),
            (view.Variables.GetProperty("answer").GetString(), view.Variables.GetProperty("decision").GetString(),
                view.Variables.GetProperty("policy").GetProperty("number").GetString(),
                view.Variables.GetProperty("inStock").GetBoolean(),
                view.Variables.GetProperty("limit").GetProperty("limit").GetInt32()));
        Assert.Equal(order.Id, (await engine.ViewAsync(Assert.Single(view.Children!))).ParentId);
    }

    [Fact]
    public async Task Order_whose_signal_does_not_come_is_too_late()
    {
        var time = new ManualTime();
        var engine = await StartAsync(time);
        var order =
            await engine.StartAsync("order", """{ "price": 30, "quantity": 2, "requestId": "r-2", "agent": "ann" }""");
        await engine.IdleAsync();

        time.Advance(TimeSpan.FromSeconds(30));

        Assert.Equal("too late", (await engine.Events.FailedAsync(order.Id, Cancel)).Error);
        Assert.Empty(engine.Events.Of<TaskCreated>());
    }

    private async Task<EngineSession> StartAsync(ManualTime time)
    {
        var engine = await EngineAsync(
            new WorkflowEngineOptions
                { Lanes = 2, Activities = [TestActivities.Of("echo", (input, _) => new(input), inline: true)] },
            time).WithAsync(Policy, await File.ReadAllTextAsync(Checkout.Fixture("definitions", "order.json"), Cancel));
        return engine;
    }
}

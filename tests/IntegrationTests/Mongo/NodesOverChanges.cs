using Workflow.Abstractions.Notifications;
using Workflow.Engine.Configuration;
using Workflow.Stores.MongoDb;

namespace IntegrationTests.Mongo;

/// <summary>The suite of several nodes with the change stream as their notifications.</summary>
[Trait("Category", "Integration")]
public sealed class NodesOverChanges(MongoStoreFixture stores) : NodeConformance<MongoStoreFixture>(stores)
{
    private const int Lanes = 4;

    [Fact]
    public async Task Message_wakes_an_owner_that_polls_once_an_hour()
    {
        var (first, second) = (await PatientAsync("first"), await PatientAsync("second"));
        await Eventually.HoldsAsync(() => Owned(first).Count == 2 && Owned(second).Count == 2, "the lanes are divided");
        await first.RegisterAsync(Definitions.WaitForGo);
        var key = KeyOf(first, Lanes);
        await first.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key);

        await second.SignalAsync("go", key, "7");

        var completed = Assert.Single(await first.Events.WaitAsync<InstanceCompleted>(1, _ => true, Cancel));
        Assert.Equal(7, completed.Output!.Value.GetInt32());
        var notifications = first.Engine.Statistics.Notifications;
        Assert.True(notifications.Received > 0, notifications.ToString());
        Assert.Equal(1, second.Engine.Statistics.Notifications.Sent);
    }

    protected override Task<INotifier> NotifierAsync()
    {
        var options = new MongoNotifierOptions { ConnectionString = Stores.ConnectionString, Lanes = Lanes };
        return Task.FromResult<INotifier>(new MongoNotifier(options));
    }

    private async Task<EngineSession> PatientAsync(string name) => await EngineAsync(
        new WorkflowEngineOptions
        {
            Lanes = Lanes,
            Cluster = Named(name) with { Notifier = await NotifierAsync(), InboxInterval = TimeSpan.FromHours(1) },
        });
}

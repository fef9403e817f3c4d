using Workflow.Engine.Configuration;
using Workflow.Stores.MongoDb;
using Workflow.Abstractions.Notifications;
using Workflow.Contracts.Events;
using Workflow.Engine;

namespace FullFeed.Tests.MongoDb;

/// <summary>The suite of several nodes with the change stream as their notifications, over the running stand-in.</summary>
public sealed class NodesOverChanges(NodesOverChanges.ContentsOnFake stores) : NodeConformance<NodesOverChanges.ContentsOnFake>(stores)
{
    private const int Lanes = 4;

    [Fact]
    public async Task Message_alone_wakes_an_owner_that_would_not_have_looked_for_an_hour()
    {
        var (first, second) = (await PatientAsync("first"), await PatientAsync("second"));
        await Eventually.HoldsAsync(() => Owned(first).Count == 2 && Owned(second).Count == 2, "the lanes are divided");
        await first.RegisterAsync(Definitions.WaitForGo);
        var key = KeyOf(first, Lanes);
        await first.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key);

        await second.SignalAsync("go", key, "7");

        var completed = Assert.Single(await first.Events.WaitAsync<InstanceCompleted>(1, _ => true, Cancel));
        Assert.Equal(7, completed.Output!.Value.GetInt32());
        Assert.True(first.Engine.Statistics.Notifications.Received > 0, first.Engine.Statistics.Notifications.ToString());
        Assert.Equal(1, second.Engine.Statistics.Notifications.Sent);
    }

    protected override Task<INotifier> NotifierAsync() =>
        Task.FromResult<INotifier>(new MongoNotifier(new() { ConnectionString = Stores.ConnectionString, Lanes = Lanes }));

    private async Task<EngineSession> PatientAsync(string name) => await EngineAsync(
        new WorkflowEngineOptions
        {
            Lanes = Lanes,
            Cluster = Named(name) with { Notifier = await NotifierAsync(), InboxInterval = TimeSpan.FromHours(1) },
        });

    /// <summary>A server of its own for each test.</summary>
    public sealed class ContentsOnFake : StoreFixture
    {
        public string ConnectionString { get; private set; } = "";

        public override Task<Func<IWorkflowStore>> CreateAsync(CancellationToken cancellationToken)
        {
            var options = new MongoStoreOptions { ConnectionString = ConnectionString = $"mongodb://{Guid.NewGuid():N}.fake:27017/nodes" };
            return Task.FromResult<Func<IWorkflowStore>>(() => new MongoStore(options));
        }
    }
}

using Workflow.Abstractions.Notifications;
using Workflow.Engine.Configuration;

namespace IntegrationTests.PostgreSql;

/// <summary>The suite of several nodes with the server's own notifications.</summary>
[Trait("Category", "Integration")]
public sealed class NodesOverPostgres(PostgresStoreFixture stores) : NodeConformance<PostgresStoreFixture>(stores)
{
    private readonly PostgresStoreFixture _stores = stores;
    private PostgresStoreOptions? _options;

    protected override async Task<INotifier> NotifierAsync() =>
        new PostgresNotifier(_options ??= await _stores.OptionsAsync(Cancel));

    [Fact]
    public async Task Signal_at_another_node_wakes_the_owner()
    {
        var owner = await NodeAsync("owner");
        var other = await NodeAsync("other");
        await owner.RegisterAsync(Definitions.WaitForGo);
        var keys = Enumerable.Range(0, 20).Select(i => $"k{i}").ToArray();
        await Task.WhenAll(keys.Select(key => owner.StartAsync("waitForGo", $$"""{ "id": "{{key}}" }""", key)));

        await Task.WhenAll(keys.Select((key, i) => other.SignalAsync("go", key, $"{i}")));

        await owner.Events.WaitAsync<InstanceCompleted>(keys.Length, _ => true, Cancel);

        async Task<EngineSession> NodeAsync(string name) => await EngineAsync(new WorkflowEngineOptions
        {
            Lanes = 4,
            Cluster = new() { NodeName = name, InboxInterval = TimeSpan.FromDays(1), Notifier = await NotifierAsync() },
        });
    }
}

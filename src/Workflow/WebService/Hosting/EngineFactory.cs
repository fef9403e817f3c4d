using Workflow.Abstractions.Events;
using Workflow.Abstractions.Stores;
using Workflow.Stores.Oracle;
using Workflow.Stores.PostgreSql;
using Workflow.Engine;
using Workflow.Stores.Memory;
using Workflow.Notifications.OracleAq;
using Workflow.Notifications.Redis;
using Workflow.WebService.Activities;
using Workflow.WebService.Configuration;

namespace Workflow.WebService.Hosting;

/// <summary>Puts the engine together from the settings.</summary>
internal static class EngineFactory
{
    public static WorkflowEngine Create(
        ServiceSettings settings, IReadOnlyList<IEventPublisher> publishers, TimeProvider timeProvider, ILoggerFactory loggerFactory)
    {
        var defaults = new WorkflowEngineOptions();
        var lanes = settings.Lanes ?? defaults.Lanes;
        var options = defaults with
        {
            Lanes = lanes,
            Activities = [EchoActivity.Create(), HttpActivity.Create()],
            SignalReceivers = settings.SignalReceivers.Select(name => new SignalReceiver { Name = name }).ToArray(),
            Cluster = CreateCluster(settings, lanes, timeProvider, loggerFactory),
            Publishers = publishers,
        };
        return new WorkflowEngine(CreateStore(settings), options, timeProvider, loggerFactory);
    }

    private static ClusterOptions CreateCluster(ServiceSettings settings, int lanes, TimeProvider timeProvider, ILoggerFactory loggerFactory) => settings switch
    {
        { RedisConnectionString: { } redis } => settings.Cluster with
        {
            Notifier = new RedisNotifier(
                new RedisNotifierOptions { ConnectionString = redis, ChannelPrefix = settings.ChannelPrefix, Cluster = settings.Schema }, timeProvider, loggerFactory),
        },
        { Provider: BackendProvider.Oracle } => settings.Cluster with { Notifier = new OracleAqNotifier(new() { ConnectionString = settings.ConnectionString! }, timeProvider) },
        { Provider: BackendProvider.Mongo } => settings.Cluster with { Notifier = MongoAdapter.CreateNotifier(settings.ConnectionString!, lanes, timeProvider) },
        _ => settings.Cluster,
    };

    private static IWorkflowStore CreateStore(ServiceSettings settings) => settings.Provider switch
    {
        BackendProvider.Postgres => new PostgresStore(new PostgresStoreOptions { ConnectionString = settings.ConnectionString!, Schema = settings.Schema }),
        BackendProvider.Oracle => new OracleStore(new() { ConnectionString = settings.ConnectionString! }),
        BackendProvider.Mongo => MongoAdapter.CreateStore(settings.ConnectionString!),
        _ => new InMemoryStore(),
    };
}

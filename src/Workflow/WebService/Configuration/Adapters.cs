using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Engine.InMemory;
using Workflow.Notifications.Redis;
using Workflow.Stores.MongoDb;
using Workflow.Stores.Oracle;
using Workflow.Stores.PostgreSql;

namespace Workflow.WebService.Configuration;

/// <summary>The stores and notifications that the service can be configured with.</summary>
internal static class Adapters
{
    private static readonly IStoreAdapter[] Stores =
        [new InMemoryAdapter(), new PostgresAdapter(), new OracleAdapter(), new MongoAdapter()];

    private static readonly INotifierAdapter[] Notifiers =
        [new PostgresNotifierAdapter(), new OracleAqAdapter(), new MongoNotifierAdapter(), new RedisAdapter()];

    public static string[] StoreNames { get; } = [.. Stores.Select(store => store.Provider)];

    public static string[] SignalDriverNames { get; } =
        [INotifierAdapter.Native,
            .. Notifiers.Where(notifier => notifier.Store is null).Select(notifier => notifier.Provider)];

    /// <param name="provider">One of <see cref="StoreNames"/>.</param>
    public static IStoreAdapter Store(string provider) => Stores.Single(store => store.Provider == provider);

    /// <summary>Null if the store has no native notifications.</summary>
    public static INotifierAdapter? Notifier(string signalDriver, string store) =>
        Notifiers.FirstOrDefault(notifier => notifier.Provider == signalDriver && (notifier.Store ?? store) == store);
}

using System.Runtime.Loader;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace Workflow.WebService.Configuration;

/// <summary>The stores and the notifications of this build: whatever lies beside the service.</summary>
internal sealed class Adapters
{
    // What the default build leaves out, with the package that its feed lacks: a message can name what is not there.
    private static readonly (string Provider,
        string Package)[] FullFeed = [("Oracle", "Oracle.ManagedDataAccess.Core"), ("Mongo", "MongoDB.Driver")];

    private Adapters(string directory)
    {
        var types = new[] { "Workflow.Stores.*.dll", "Workflow.Notifications.*.dll" }
            .SelectMany(pattern => Directory.EnumerateFiles(directory, pattern).Order(StringComparer.Ordinal))
            .SelectMany(file => AssemblyLoadContext.Default.LoadFromAssemblyPath(file).GetExportedTypes())
            .ToArray();
        Stores = [.. Create<IStoreAdapter>(types).OrderBy(s => Array.FindIndex(FullFeed, f => f.Provider == s.Provider))];
        Notifiers = [.. Create<INotifierAdapter>(types)];
    }

    public static Adapters Found { get; } = new(AppContext.BaseDirectory);
    public IReadOnlyList<IStoreAdapter> Stores { get; }
    public IReadOnlyList<INotifierAdapter> Notifiers { get; }
    public string[] KnownStores => [.. Stores.Select(s => s.Provider).Union(FullFeed.Select(f => f.Provider))];
    public string[] KnownSignalDrivers => [INotifierAdapter.Native, .. Notifiers.Where(n => n.Store is null).Select(n => n.Provider)];

    public IStoreAdapter? Store(string provider) => Stores.FirstOrDefault(s => s.Provider == provider);

    /// <summary>Null where the store wakes nobody by itself.</summary>
    public INotifierAdapter? Notifier(string signalDriver, string store) =>
        Notifiers.FirstOrDefault(n => n.Provider == signalDriver && (n.Store ?? store) == store);

    /// <summary>Why this build has no such store and what to do.</summary>
    public static string WhyMissing(string provider) =>
        "this build has no such store: build and run with -p:FullFeed=true, on a feed that has the package "
        + $"{FullFeed.Single(f => f.Provider == provider).Package}, or use Postgres.";

    private static IEnumerable<T> Create<T>(IEnumerable<Type> types) =>
        types.Where(t => t is { IsClass: true, IsAbstract: false } && t.IsAssignableTo(typeof(T)))
            .Select(t => (T)Activator.CreateInstance(t)!);
}

using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;

namespace Workflow.WebService.Hosting;

/// <summary>The store on MongoDB and its notifications, found by name, as only the full feed has them.</summary>
internal static class MongoAdapter
{
    private const string Factory = "Workflow.Stores.MongoDb.MongoFactory, Workflow.Stores.MongoDb";

    /// <summary>Why there is none in this build and what to do; null where there is one.</summary>
    public static string? WhyMissing => Type.GetType(Factory) is null
        ? "this build has no MongoDB driver: build and run with -p:FullFeed=true, on a feed that has the package MongoDB.Driver, or use Postgres."
        : null;

    /// <exception cref="NotSupportedException">This build has no such store.</exception>
    public static IWorkflowStore CreateStore(string connectionString) => Find<Func<string, IWorkflowStore>>(nameof(CreateStore))(connectionString);

    /// <exception cref="NotSupportedException">This build has no such notifications.</exception>
    public static INotifier CreateNotifier(string connectionString, int lanes, TimeProvider timeProvider) =>
        Find<Func<string, int, TimeProvider, INotifier>>(nameof(CreateNotifier))(connectionString, lanes, timeProvider);

    private static TMethod Find<TMethod>(string name)
        where TMethod : Delegate =>
        Type.GetType(Factory)?.GetMethod(name)!.CreateDelegate<TMethod>() ?? throw new NotSupportedException(WhyMissing);
}

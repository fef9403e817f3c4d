using Workflow.Abstractions.Stores;

namespace Workflow.WebService.Hosting;

/// <summary>The store on MongoDB, found by name, as only the full feed has it.</summary>
internal static class MongoAdapter
{
    private const string Factory = "Workflow.DataStore.MongoDb.MongoFactory, Workflow.DataStore.MongoDb";

    /// <summary>Why there is none in this build and what to do; null where there is one.</summary>
    public static string? WhyMissing => Type.GetType(Factory) is null
        ? "this build has no MongoDB driver: build and run with -p:FullFeed=true, on a feed that has the package MongoDB.Driver, or use Postgres."
        : null;

    /// <exception cref="NotSupportedException">This build has no such store.</exception>
    public static IWorkflowStore CreateStore(string connectionString) => Type.GetType(Factory) is { } factory
        ? factory.GetMethod(nameof(CreateStore))!.CreateDelegate<Func<string, IWorkflowStore>>()(connectionString)
        : throw new NotSupportedException(WhyMissing);
}

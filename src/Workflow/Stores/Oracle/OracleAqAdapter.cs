using Workflow.Abstractions.Notifications;

namespace Workflow.Stores.Oracle;

public sealed class OracleAqAdapter : INotifierAdapter
{
    public string Provider => INotifierAdapter.Native;

    public string? Store => "Oracle";

    public string? ExampleConnectionString => null;

    public string? FindConnectionProblem(string? connectionString) => null;

    public INotifier Create(NotifierSettings settings, IServiceProvider services) => new OracleAqNotifier(
        new() { ConnectionString = settings.ConnectionString },
        services.GetService(typeof(TimeProvider)) as TimeProvider ?? TimeProvider.System);
}

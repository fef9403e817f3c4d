using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Notifications;

namespace Workflow.Notifications.Redis;

public sealed class RedisAdapter : INotifierAdapter
{
    public string Provider => "Redis";
    public string? Store => null;
    public string? ExampleConnectionString => RedisNotifierOptions.Example;

    public string? FindConnectionProblem(string? connectionString) =>
        RedisNotifierOptions.FindConnectionProblem(connectionString);

    public INotifier Create(NotifierSettings settings, IServiceProvider services) => new RedisNotifier(
        new()
        {
            ConnectionString = settings.ConnectionString,
            ChannelPrefix = settings.ChannelPrefix,
            Cluster = settings.Cluster,
        },
        services.GetService(typeof(TimeProvider)) as TimeProvider ?? TimeProvider.System,
        services.GetService(typeof(ILoggerFactory)) as ILoggerFactory ?? NullLoggerFactory.Instance);
}

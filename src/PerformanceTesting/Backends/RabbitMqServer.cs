using System.Security.Cryptography;
using PerformanceTesting.Backends.Collectors;
using RabbitMQ.Client;
using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends;

/// <summary>A RabbitMQ broker shared by the tests of one process; each test takes exchanges and queues with a prefix of its own.</summary>
public abstract class RabbitMqServer : BackendServer
{
    /// <summary>Schedulers that spin while they have nothing to do would take the processors of what is measured beside them.</summary>
    protected const string SchedulersThatDoNotSpin = "+sbwt none +sbwtdcpu none +sbwtdio none";

    public sealed override ServerKind Kind => ServerKind.RabbitMq;

    /// <summary>Broker and account.</summary>
    public abstract RabbitMqTarget Target { get; }

    /// <summary>The page of the Prometheus plugin; it may not answer on an external broker.</summary>
    public abstract Uri MetricsAddress { get; }

    /// <summary>A prefix of the names of exchanges and queues that no other test of any process has.</summary>
    public static string NewPrefix() => $"wf-{Environment.ProcessId:x}-{Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(4))}-";

    /// <summary>Removes queues, and the exchanges of all event types of a contract; a native broker that does not run takes them along.</summary>
    /// <param name="prefix">Of <see cref="NewPrefix"/>.</param>
    /// <param name="eventBase">Base of the event types.</param>
    /// <param name="queues">Names without the prefix.</param>
    public async Task RemoveAsync(string prefix, Type eventBase, IReadOnlyList<string> queues)
    {
        if (Provision == ProvisionMode.Native && ProcessId is null)
        {
            return;
        }

        await using var connection = await RabbitMqBroker.ConnectAsync(Target, "clean-up", CancellationToken.None);
        await using var channel = await connection.CreateChannelAsync();
        foreach (var queue in queues)
        {
            await channel.QueueDeleteAsync(prefix + queue);
        }

        var types = eventBase.Assembly.GetTypes().Where(eventBase.IsAssignableFrom).Select(type => $"{type.Namespace}:{type.Name}");
        foreach (var exchange in types.Concat(queues))
        {
            await channel.ExchangeDeleteAsync(prefix + exchange);
        }
    }

    /// <summary>
    /// Version and limits. What survives a power failure is decided by each queue and message, not by the broker: those of the tests are durable and
    /// persistent, and a publish returns with the broker's confirmation.
    /// </summary>
    /// <exception cref="BackendException">The broker cannot be reached.</exception>
    public sealed override async Task<SettingsReadBack> ReadSettingsAsync(CancellationToken cancellationToken)
    {
        try
        {
            var version = await RabbitMqBroker.ProbeAsync(Target, cancellationToken);
            var page = await RabbitMqMetrics.TryReadAsync(MetricsAddress, cancellationToken);
            var settings = new SortedDictionary<string, string>(StringComparer.Ordinal)
            {
                ["queues"] = "classic, durable",
                ["messages"] = "persistent",
                ["publisher confirms"] = "on",
                ["prefetch"] = $"{new RabbitMqEventConsumer("", _ => { }).Prefetch}",
            };
            foreach (var (name, value) in page?.Labels ?? new Dictionary<string, string>())
            {
                settings[name] = value;
            }

            return new SettingsReadBack(version, settings, []);
        }
        catch (EventTransportException exception)
        {
            throw new BackendException($"{Description} does not tell its settings: {exception.Message}{Environment.NewLine}{LogTail}", exception);
        }
    }
}

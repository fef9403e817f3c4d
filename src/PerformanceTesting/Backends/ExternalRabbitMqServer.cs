using Workflow.Abstractions.Exceptions;
using Workflow.Events.MassTransit;

namespace PerformanceTesting.Backends;

/// <summary>
/// A broker that already runs, named by a connection string. What tests make there is removed when they end; a run that was killed leaves exchanges named
/// <c>wf-*</c> behind, and its queues expire.
/// </summary>
public sealed class ExternalRabbitMqServer : RabbitMqServer
{
    /// <summary>Where the Prometheus plugin listens unless it is told otherwise.</summary>
    private const int MetricsPort = 15692;

    private ExternalRabbitMqServer(string connectionString, RabbitMqTarget target, string version)
    {
        ConnectionString = connectionString;
        Target = target;
        Description = $"external server ({target}, RabbitMQ {version})";
    }

    public override ProvisionMode Provision => ProvisionMode.External;

    public override string Description { get; }

    public override string ConnectionString { get; }

    public override RabbitMqTarget Target { get; }

    public override Uri MetricsAddress => new($"http://{Target.Host}:{MetricsPort}/metrics");

    public override string LogTail => "The log of an external server is not in reach.";

    /// <summary>Connects once, so that a wrong connection string is found before any test needs it.</summary>
    /// <param name="connectionString">As <see cref="RabbitMqTarget.Example"/>.</param>
    /// <param name="variable">Where it came from, for the message.</param>
    /// <param name="cancellationToken">Ends the wait; without it, ten seconds do.</param>
    /// <exception cref="BackendException">It cannot be parsed, nothing answers, or the broker refuses; names broker and variable, never the password.</exception>
    public static async Task<ExternalRabbitMqServer> ConnectAsync(string connectionString, string variable, CancellationToken cancellationToken)
    {
        if (!RabbitMqTarget.TryParse(connectionString, out var target, out var problem))
        {
            throw new BackendException($"{variable} {problem}.");
        }

        try
        {
            return new ExternalRabbitMqServer(connectionString, target, await RabbitMqBroker.ProbeAsync(target, cancellationToken));
        }
        catch (EventTransportException exception)
        {
            throw new BackendException(
                $"{variable}: {exception.Message} Correct {variable}, start that broker, or unset {variable} to have one started natively.", exception);
        }
    }

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}

using Workflow.Abstractions.Notifications;
using Workflow.Engine.Configuration;
using Workflow.Events.MassTransit;

namespace Workflow.WebService.Configuration;

/// <summary>What the service is configured with, checked.</summary>
internal sealed record ServiceSettings
{
    public const long DefaultMaxBodyBytes = 1 << 20;
    public const long DefaultMaxBodiesBytes = 256 << 20;
    public const long DefaultMaxConnections = 10_000;
    public const long DefaultStalledReaderSeconds = 30;

    /// <summary><c>WorkflowBackend:Provider</c>; memory by default.</summary>
    public string Provider { get; init; } = "Memory";

    /// <summary>
    /// <c>ConnectionStrings:Workflow</c>; required by every provider but memory. Holds a secret: never printed.
    /// </summary>
    public string? ConnectionString { get; init; }

    /// <summary>
    /// <c>WorkflowBackend:Schema</c>; <c>workflow</c> by default. Services on one schema share its lanes.
    /// </summary>
    public string Schema { get; init; } = "workflow";

    /// <summary>
    /// <c>WorkflowBackend:Lanes</c>, 1 to 64, one for each partition at most; null leaves it to the engine.
    /// </summary>
    public int? Lanes { get; init; }

    /// <summary><c>WorkflowCluster:*</c>: this node among others on the same schema.</summary>
    public ClusterOptions Cluster { get; init; } = new();

    /// <summary>
    /// <c>WorkflowCluster:Address</c>: where other nodes reach this one; null takes the address it listens on, unless
    /// that is all of them.
    /// </summary>
    public Uri? NodeAddress { get; init; }

    /// <summary>
    /// <c>WorkflowSignalDriver:Provider</c>; native by default: what the store itself offers, if anything.
    /// </summary>
    public string SignalDriver { get; init; } = INotifierAdapter.Native;

    /// <summary>
    /// <c>ConnectionStrings:Redis</c> where that is the signal driver, else null. Holds a secret: never printed.
    /// </summary>
    public string? SignalDriverConnectionString { get; init; }

    /// <summary>
    /// <c>WorkflowSignalDriver:ChannelPrefix</c>; <c>workflow</c> by default. The channel is <c>prefix:schema:wake</c>.
    /// </summary>
    public string ChannelPrefix { get; init; } = "workflow";

    /// <summary>
    /// <c>ConnectionStrings:RabbitMq</c>, <c>IntegrationEvents:ExchangePrefix</c>; null: the event stream alone.
    /// </summary>
    public RabbitMqEventOptions? RabbitMq { get; init; }

    /// <summary>
    /// <c>SignalReceivers</c>: names of signals that are consumed durably without an instance and published as
    /// <c>SignalReceived</c>.
    /// </summary>
    public IReadOnlyList<string> SignalReceivers { get; init; } = [];

    /// <summary>
    /// <c>Limits:MaxBodyBytes</c>, 1,024 to 1,073,741,824; 1 MiB by default. A larger body is answered with 413.
    /// </summary>
    public long MaxBodyBytes { get; init; } = DefaultMaxBodyBytes;

    /// <summary>
    /// <c>Limits:MaxBodiesBytes</c>, 65,536 to 1,099,511,627,776; 256 MiB by default. What bodies that are still coming
    /// in hold in memory together; one that would go past it is answered with 429.
    /// </summary>
    public long MaxBodiesBytes { get; init; } = DefaultMaxBodiesBytes;

    /// <summary>
    /// <c>Limits:MaxConnections</c>, 1 to 1,000,000; 10,000 by default. More are closed as soon as they are opened.
    /// </summary>
    public long MaxConnections { get; init; } = DefaultMaxConnections;

    /// <summary>
    /// <c>Limits:StalledReaderSeconds</c>, 1 to 86,400; 30 by default. An event stream whose client takes nothing for
    /// so long is dropped.
    /// </summary>
    public TimeSpan StalledReader { get; init; } = TimeSpan.FromSeconds(DefaultStalledReaderSeconds);

    /// <summary>
    /// <c>Signals:RefuseUnreceived</c>; false by default. True refuses signals whose name nothing takes.
    /// </summary>
    public bool RefusesUnreceivedSignals { get; init; }

    /// <summary>
    /// <c>IntegrationEvents:Definitions</c>; false by default. True publishes <c>DefinitionRegistered</c>.
    /// </summary>
    public bool PublishesDefinitions { get; init; }

    /// <summary><c>Limits:MaxStepsPerCommand</c>; the engine's default where it is null.</summary>
    public int? MaxStepsPerCommand { get; init; }

    /// <summary><c>Limits:MaxWorkPerCommand</c>; the engine's default where it is null.</summary>
    public long? MaxWorkPerCommand { get; init; }

    /// <summary><c>Limits:*</c>, by the names of the engine's limits.</summary>
    public EngineLimits Limits { get; init; } = new();

    /// <summary><c>Retention:*</c>: how long what is over is kept.</summary>
    public RetentionOptions Retention { get; init; } = new();

    /// <summary><c>Residency:*</c>: how many live instances stay in memory.</summary>
    public ResidencyOptions Residency { get; init; } = new();

    /// <summary>
    /// <c>OpenTelemetry:*</c> or the standard variables: where spans and metrics are sent. Null, the default, sends
    /// nothing.
    /// </summary>
    public OtlpSettings? Otlp { get; init; }

    /// <summary><c>Access:Keys</c>; required where the service listens on an address that is not loopback.</summary>
    public AccessKeys AccessKeys { get; init; } = AccessKeys.None;

    /// <summary>
    /// <c>Activities:Http:Allow</c>: the only hosts, as <c>host</c> or <c>host:port</c>, that the activity <c>http</c>
    /// may call. Without an entry it may call every host with a public address; a loopback, private or link-local
    /// address must be listed.
    /// </summary>
    public IReadOnlyList<string> HttpActivityAllow { get; init; } = [];

    /// <summary><c>Ui:Enabled</c>; true by default. False leaves out the pages under <c>/ui</c>.</summary>
    public bool HasPages { get; init; } = true;

    /// <summary>
    /// <c>Ui:ShowVariablesToReadKeys</c>; false by default. True shows the variables of a task's instance on the page
    /// of the task also to keys that only read.
    /// </summary>
    public bool ShowsVariablesToReadKeys { get; init; }

    /// <summary>
    /// <c>Hosting:StopWhenInputEnds</c>; false by default. True ties the service to the process that holds its standard
    /// input.
    /// </summary>
    public bool StopWhenInputEnds { get; init; }
}

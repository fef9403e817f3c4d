using System.Text.RegularExpressions;
using Foundation;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Engine.Configuration;
using Workflow.Events.MassTransit;

namespace Workflow.WebService.Configuration;

/// <summary>Reads the settings and reports every violation together.</summary>
internal sealed partial class ServiceSettingsReader
{
    private static readonly Dictionary<string, string[]> KnownKeys = new(StringComparer.OrdinalIgnoreCase)
    {
        ["WorkflowBackend"] = ["Provider", "Schema", "Lanes"],
        ["WorkflowCluster"] =
        [
            "NodeName", "Address", "LeaseMilliseconds", "RenewalMilliseconds", "InboxMilliseconds",
            "AnswerTimeoutMilliseconds",
        ],
        ["WorkflowSignalDriver"] = ["Provider", "ChannelPrefix"],
        ["IntegrationEvents"] = ["Transport", "ExchangePrefix", "Definitions"],
        ["Limits"] =
        [
            "MaxBodyBytes", "MaxBodiesBytes", "MaxConnections", "StalledReaderSeconds",
            nameof(WorkflowEngineOptions.MaxStepsPerCommand), nameof(WorkflowEngineOptions.MaxWorkPerCommand),
            nameof(EngineLimits.MaxPendingCommands), nameof(EngineLimits.MaxPendingSize),
            nameof(EngineLimits.MaxRunningActivities),
            nameof(EngineLimits.MaxInstanceSize), nameof(EngineLimits.MaxOpenWaits), nameof(EngineLimits.MaxChildren),
            nameof(EngineLimits.MaxInboxSignals), nameof(EngineLimits.MaxInboxSize),
            nameof(EngineLimits.MaxSignalsPerKey),
            nameof(EngineLimits.MaxSignals), nameof(EngineLimits.MaxSignalsSize), nameof(EngineLimits.MaxDefinitions),
            nameof(EngineLimits.MaxDefinitionsSize), nameof(EngineLimits.MaxEventWindowSize),
        ],
        ["Retention"] =
            ["EventHours", "KeyHours", "DeadLetterHours", "FinishedInstanceHours", "PortionRows", "PauseMilliseconds"],
        ["Residency"] = ["IdleSeconds", "MaxInstances", "MaxBytes"],
        ["Signals"] = ["RefuseUnreceived"],
        ["Ui"] = ["Enabled", "ShowVariablesToReadKeys"],
        ["Hosting"] = ["StopWhenInputEnds"],
        ["Access"] = ["Keys"],
        ["Activities"] = ["Http"],
        ["Activities:Http"] = ["Allow"],
        ["OpenTelemetry"] = ["Endpoint", "Protocol"],
    };

    /// <summary>1,000 days.</summary>
    private const long MaxIdleSeconds = 86_400_000;

    private readonly IConfiguration _configuration;
    private readonly SettingsReader _reader;

    private ServiceSettingsReader(IConfiguration configuration)
    {
        _configuration = configuration;
        _reader = new(
            key => configuration[key], key => configuration.GetSection(key).GetChildren().Select(child => child.Key));
    }

    /// <exception cref="InvalidSettingsException">Something is wrong; everything that is wrong is listed.</exception>
    public static ServiceSettings Read(IConfiguration configuration)
    {
        var service = new ServiceSettingsReader(configuration);
        var settings = service.ReadAll();
        service._reader.ThrowIfInvalid();
        return settings;
    }

    private ServiceSettings ReadAll()
    {
        _reader.CheckKeys(KnownKeys);
        var provider = _reader.Choice("WorkflowBackend:Provider", "Memory", Adapters.StoreNames);
        var store = Adapters.Store(provider);
        var signalDriver =
            _reader.Choice("WorkflowSignalDriver:Provider", INotifierAdapter.Native, Adapters.SignalDriverNames);
        var rabbitMq = string.Equals(
            _reader.Choice("IntegrationEvents:Transport", "None", "None", "RabbitMq"), "RabbitMq",
            StringComparison.Ordinal);
        return new ServiceSettings
        {
            Provider = provider,
            ConnectionString = ConnectionString(store),
            Schema = Schema(store),
            RabbitMq = rabbitMq ? RabbitMq() : null,
            SignalDriver = signalDriver,
            SignalDriverConnectionString =
                SignalDriverConnectionString(Adapters.Notifier(signalDriver, provider), store),
            ChannelPrefix = _reader.Text("WorkflowSignalDriver:ChannelPrefix") ?? "workflow",
            Lanes = (int?)_reader.Number("WorkflowBackend:Lanes", 1, 64),
            Cluster = Cluster(),
            NodeAddress = NodeAddress(),
            SignalReceivers = SignalReceivers(),
            RefusesUnreceivedSignals = _reader.Flag("Signals:RefuseUnreceived"),
            MaxBodyBytes = _reader.Number("Limits:MaxBodyBytes", 1024, 1 << 30) ?? ServiceSettings.DefaultMaxBodyBytes,
            MaxBodiesBytes = _reader.Number("Limits:MaxBodiesBytes", 65_536, 1L << 40)
                ?? ServiceSettings.DefaultMaxBodiesBytes,
            MaxConnections = _reader.Number("Limits:MaxConnections", 1, 1_000_000)
                ?? ServiceSettings.DefaultMaxConnections,
            StalledReader = TimeSpan.FromSeconds(
                _reader.Number("Limits:StalledReaderSeconds", 1, 86_400)
                    ?? ServiceSettings.DefaultStalledReaderSeconds),
            PublishesDefinitions = _reader.Flag("IntegrationEvents:Definitions"),
            MaxStepsPerCommand = (int?)_reader.Number("Limits:MaxStepsPerCommand", 1, 1_000_000),
            MaxWorkPerCommand = _reader.Number("Limits:MaxWorkPerCommand", 1_000, 1_000_000_000),
            Limits = Limits(),
            Retention = Retention(store),
            Residency = Residency(),
            Otlp = Otlp(),
            AccessKeys = Keys(),
            HttpActivityAllow = HttpActivityAllow(),
            HasPages = _reader.Text("Ui:Enabled") is null || _reader.Flag("Ui:Enabled"),
            ShowsVariablesToReadKeys = _reader.Flag("Ui:ShowVariablesToReadKeys"),
            StopWhenInputEnds = _reader.Flag("Hosting:StopWhenInputEnds"),
        };
    }

    private EngineLimits Limits()
    {
        var defaults = new EngineLimits();
        return new EngineLimits
        {
            MaxPendingCommands =
                (int)Limit(nameof(EngineLimits.MaxPendingCommands), 1, 1_000_000, defaults.MaxPendingCommands),
            MaxPendingSize = Limit(nameof(EngineLimits.MaxPendingSize), 1_024, 1L << 40, defaults.MaxPendingSize),
            MaxRunningActivities =
                (int)Limit(nameof(EngineLimits.MaxRunningActivities), 1, 1_000_000, defaults.MaxRunningActivities),
            MaxInstanceSize =
                (int)Limit(nameof(EngineLimits.MaxInstanceSize), 1_024, 1 << 30, defaults.MaxInstanceSize),
            MaxOpenWaits = (int)Limit(nameof(EngineLimits.MaxOpenWaits), 1, 100_000, defaults.MaxOpenWaits),
            MaxChildren = (int)Limit(nameof(EngineLimits.MaxChildren), 1, 1_000_000, defaults.MaxChildren),
            MaxInboxSignals = (int)Limit(nameof(EngineLimits.MaxInboxSignals), 1, 1_000_000, defaults.MaxInboxSignals),
            MaxInboxSize = (int)Limit(nameof(EngineLimits.MaxInboxSize), 1_024, 1 << 30, defaults.MaxInboxSize),
            MaxSignalsPerKey =
                (int)Limit(nameof(EngineLimits.MaxSignalsPerKey), 1, 100_000_000, defaults.MaxSignalsPerKey),
            MaxSignals = (int)Limit(nameof(EngineLimits.MaxSignals), 1, 100_000_000, defaults.MaxSignals),
            MaxSignalsSize = Limit(nameof(EngineLimits.MaxSignalsSize), 1_024, 1L << 40, defaults.MaxSignalsSize),
            MaxEventWindowSize =
                Limit(nameof(EngineLimits.MaxEventWindowSize), 1_024, 1L << 40, defaults.MaxEventWindowSize),
            MaxDefinitions = (int)Limit(nameof(EngineLimits.MaxDefinitions), 1, 1_000_000, defaults.MaxDefinitions),
            MaxDefinitionsSize =
                Limit(nameof(EngineLimits.MaxDefinitionsSize), 1_024, 1L << 40, defaults.MaxDefinitionsSize),
        };

        long Limit(string name, long least, long most, long otherwise) =>
            _reader.Number("Limits:" + name, least, most) ?? otherwise;
    }

    private RetentionOptions Retention(IStoreAdapter store)
    {
        var defaults = new RetentionOptions();
        var retention = new RetentionOptions
        {
            Events = Hours("EventHours") ?? defaults.Events,
            Keys = Hours("KeyHours") ?? defaults.Keys,
            DeadLetters = Hours("DeadLetterHours") ?? defaults.DeadLetters,
            FinishedInstances = Hours("FinishedInstanceHours"),
            Portion = (int)(_reader.Number("Retention:PortionRows", 1, 100_000) ?? defaults.Portion),
            Pause = _reader.Number("Retention:PauseMilliseconds", 0, 60_000) is { } pause
                ? TimeSpan.FromMilliseconds(pause) : defaults.Pause,
        };
        foreach (var violation in retention.Violations())
        {
            _reader.Refuse(violation);
        }

        if (retention.FinishedInstances is not null && store.RemovalUnsupportedReason is { } reason)
        {
            RefuseUnsupported("Retention:FinishedInstanceHours", store, reason);
        }

        return retention;

        TimeSpan? Hours(string key) =>
            _reader.Number("Retention:" + key, 1, 876_000) is { } hours ? TimeSpan.FromHours(hours) : null;
    }

    private ResidencyOptions Residency()
    {
        var defaults = new ResidencyOptions();
        return new ResidencyOptions
        {
            IdleTime = _reader.Number("Residency:IdleSeconds", 0, MaxIdleSeconds) is { } seconds
                ? TimeSpan.FromSeconds(seconds) : defaults.IdleTime,
            MaxInstances =
                (int)(_reader.Number("Residency:MaxInstances", 1, 1_000_000_000) ?? defaults.MaxInstances),
            MaxSize = _reader.Number("Residency:MaxBytes", 1_024, 1L << 40) ?? defaults.MaxSize,
        };
    }

    /// <param name="reason">A relative clause.</param>
    private void RefuseUnsupported(string key, IStoreAdapter store, string reason) => _reader.Refuse(
        $"{key} is set, and WorkflowBackend:Provider is {store.Provider}, {reason}: leave it out.");

    /// <summary>The service's own keys go before the standard variables of every OpenTelemetry SDK.</summary>
    private OtlpSettings? Otlp()
    {
        var (key, text) = _reader.Text("OpenTelemetry:Endpoint") is { } own
            ? ("OpenTelemetry:Endpoint", own)
            : ("OTEL_EXPORTER_OTLP_ENDPOINT", _reader.Text("OTEL_EXPORTER_OTLP_ENDPOINT"));
        if (text is null)
        {
            return null;
        }

        var protocolKey = _reader.Text("OpenTelemetry:Protocol") is null
            ? "OTEL_EXPORTER_OTLP_PROTOCOL"
            : "OpenTelemetry:Protocol";
        var protocol = _reader.Choice(protocolKey, "http/protobuf", "http/protobuf", "grpc");
        if (CollectorAddress.Parse(text) is { } endpoint)
        {
            return new(endpoint, protocol == "grpc");
        }

        _reader.Refuse($"{key} is {CollectorAddress.Quote(text)}. "
            + "Use the http or https address of an OpenTelemetry collector, without user, query or fragment, e.g. "
            + "http://127.0.0.1:4318; or leave it out, and nothing is exported. A token belongs into "
            + "OTEL_EXPORTER_OTLP_HEADERS.");
        return null;
    }

    private AccessKeys Keys()
    {
        var keys = AccessKeys.Read(_reader.List("Access:Keys"), _reader.Refuse);
        if (!keys.AreRequired && ListenAddresses.OffLoopback(_configuration).ToArray() is { Length: > 0 } addresses)
        {
            _reader.Refuse(
                $"The service listens on '{string.Join("', '", addresses)}', where other machines may reach it, and "
                    + "Access:Keys is empty. "
                + "Set a key, e.g. in the environment: Access__Keys__0=\"$(openssl rand -hex 32)\"; or listen on "
                + "http://127.0.0.1.");
        }

        return keys;
    }

    private IReadOnlyList<string> HttpActivityAllow()
    {
        var entries = _reader.List("Activities:Http:Allow");
        foreach (var entry in entries.Where(entry => !AllowedHost().IsMatch(entry)))
        {
            _reader.Refuse(
                $"Activities:Http:Allow holds '{entry}'. Use host or host:port, e.g. api.example.com, 10.0.0.7:8080 or "
                    + "[::1]:8080.");
        }

        return entries;
    }

    private Uri? NodeAddress()
    {
        if (_reader.Text("WorkflowCluster:Address") is not { } text)
        {
            return null;
        }

        if (CollectorAddress.Parse(text) is { AbsolutePath: "/" } address)
        {
            return address;
        }

        _reader.Refuse($"WorkflowCluster:Address is {CollectorAddress.Quote(text)}. Use scheme, host and port, as "
            + "other nodes reach this "
            + "one, e.g. http://10.0.0.7:5080; or leave it out, and nodes use the address that the service listens "
            + "on.");
        return null;
    }

    private ClusterOptions Cluster()
    {
        var defaults = new ClusterOptions();
        var cluster = new ClusterOptions
        {
            NodeName = _reader.Text("WorkflowCluster:NodeName") ?? defaults.NodeName,
            Lease = Milliseconds("LeaseMilliseconds", defaults.Lease),
            RenewalInterval = Milliseconds("RenewalMilliseconds", defaults.RenewalInterval),
            InboxInterval = Milliseconds("InboxMilliseconds", defaults.InboxInterval),
            AnswerTimeout = Milliseconds("AnswerTimeoutMilliseconds", defaults.AnswerTimeout),
        };
        foreach (var violation in cluster.Violations())
        {
            _reader.Refuse($"WorkflowCluster: {violation}");
        }

        return cluster;

        TimeSpan Milliseconds(string key, TimeSpan fallback) =>
            _reader.Number("WorkflowCluster:" + key, 1, 60_000) is { } number
                ? TimeSpan.FromMilliseconds(number)
                : fallback;
    }

    private string? ConnectionString(IStoreAdapter store)
    {
        if (store.ExampleConnectionString is not { } example)
        {
            return null;
        }

        var text = _reader.Text("ConnectionStrings:Workflow");
        if (string.IsNullOrWhiteSpace(text))
        {
            _reader.Refuse($"ConnectionStrings:Workflow is missing, and WorkflowBackend:Provider is {store.Provider}. "
                + $"Set it, e.g. in the environment: ConnectionStrings__Workflow='{example}'.");
            return null;
        }

        if (store.FindConnectionProblem(text) is { } reason)
        {
            _reader.Refuse($"ConnectionStrings:Workflow {reason}. It looks like '{example}'.");
        }

        return text;
    }

    /// <summary>
    /// Null for native notifications. Whether the server answers is not asked: without it signals only take longer.
    /// </summary>
    private string? SignalDriverConnectionString(INotifierAdapter? notifier, IStoreAdapter store)
    {
        if (notifier is not { ExampleConnectionString: { } example })
        {
            return null;
        }

        var name = notifier.Provider;
        var text = _reader.Text($"ConnectionStrings:{name}");
        if (store.ExampleConnectionString is null)
        {
            _reader.Refuse($"WorkflowSignalDriver:Provider is '{name}', and WorkflowBackend:Provider is "
                + $"{store.Provider}, which no other "
                + "node shares: there is nobody to wake. Use Native, or another backend.");
        }
        else if (notifier.FindConnectionProblem(text) is { } reason)
        {
            _reader.Refuse($"ConnectionStrings:{name} {reason}. WorkflowSignalDriver:Provider is '{name}'; "
                + $"set it, e.g. in the environment: ConnectionStrings__{name}='{example}'.");
        }

        return text;
    }

    private string Schema(IStoreAdapter store)
    {
        var text = _reader.Text("WorkflowBackend:Schema");
        if (string.IsNullOrEmpty(text))
        {
            return "workflow";
        }

        if (store.SchemaUnsupportedReason is { } reason)
        {
            _reader.Refuse(
                $"WorkflowBackend:Schema is '{text}', and WorkflowBackend:Provider is {store.Provider}, {reason}: "
                    + "leave it out.");
        }
        else if (!SchemaName().IsMatch(text))
        {
            _reader.Refuse($"WorkflowBackend:Schema is '{text}'. "
                + "Use a lower-case letter or underscore, then at most 62 lower-case letters, digits and underscores.");
        }

        return text;
    }

    /// <summary>
    /// How integration events go over RabbitMQ. Whether the broker answers is asked when the service starts.
    /// </summary>
    private RabbitMqEventOptions? RabbitMq()
    {
        if (_reader.Text("ConnectionStrings:RabbitMq") is not { } text || string.IsNullOrWhiteSpace(text))
        {
            _reader.Refuse("ConnectionStrings:RabbitMq is missing, and IntegrationEvents:Transport is RabbitMq. "
                + $"Set it, e.g. in the environment: ConnectionStrings__RabbitMq='{RabbitMqTarget.Example}'.");
            return null;
        }

        if (!RabbitMqTarget.TryParse(text, out var target, out var problem))
        {
            _reader.Refuse($"ConnectionStrings:RabbitMq {problem}.");
            return null;
        }

        var prefix = _reader.Text(
            "IntegrationEvents:ExchangePrefix", ExchangePrefix(),
            "Use at most 63 letters, digits, dots, underscores and hyphens.");
        return new RabbitMqEventOptions { Target = target, ExchangePrefix = prefix ?? "" };
    }

    private string[] SignalReceivers()
    {
        var names = _reader.List("SignalReceivers");
        if (names.Any(n => n.Length is 0 or > 128))
        {
            _reader.Refuse(
                "SignalReceivers holds a name that is empty or longer than 128 characters: "
                + $"'{string.Join("', '", names)}'.");
        }

        return [.. names.Distinct(StringComparer.Ordinal)];
    }

    [GeneratedRegex("^[a-z_][a-z0-9_]{0,62}$")]
    private static partial Regex SchemaName();

    [GeneratedRegex(@"^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$")]
    private static partial Regex AllowedHost();

    [GeneratedRegex("^[A-Za-z0-9._-]{0,63}$")]
    private static partial Regex ExchangePrefix();
}

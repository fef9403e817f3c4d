using System.Globalization;
using System.Text.RegularExpressions;
using Workflow.Abstractions.Notifications;
using Workflow.Abstractions.Stores;
using Workflow.Engine;

namespace Workflow.WebService.Configuration;

/// <summary>Reads the settings and reports every violation together.</summary>
internal sealed partial class SettingsReader
{
    // A misspelt key would otherwise be a setting that silently does nothing.
    private static readonly Dictionary<string, string[]> KnownKeys = new(StringComparer.OrdinalIgnoreCase)
    {
        ["WorkflowBackend"] = ["Provider", "Schema", "Lanes"],
        ["WorkflowCluster"] = ["NodeName", "LeaseMilliseconds", "RenewalMilliseconds", "InboxMilliseconds", "AnswerTimeoutMilliseconds"],
        ["WorkflowSignalDriver"] = ["Provider", "ChannelPrefix"],
        ["IntegrationEvents"] = ["Transport", "ExchangePrefix"],
        ["Limits"] = ["MaxBodyBytes"],
        ["Hosting"] = ["StopWhenInputEnds"],
    };

    private readonly IConfiguration _configuration;
    private readonly List<string> _violations = [];

    private SettingsReader(IConfiguration configuration) => _configuration = configuration;

    /// <exception cref="InvalidSettingsException">Something is wrong; everything that is wrong is listed.</exception>
    public static ServiceSettings Read(IConfiguration configuration)
    {
        var reader = new SettingsReader(configuration);
        var settings = reader.ReadAll();
        return reader._violations.Count == 0 ? settings : throw new InvalidSettingsException(reader._violations);
    }

    private ServiceSettings ReadAll()
    {
        CheckKeys();
        var adapters = Adapters.Found;
        var provider = Choice("WorkflowBackend:Provider", "Memory", adapters.KnownStores);
        var store = adapters.Store(provider);
        if (store is null)
        {
            _violations.Add($"WorkflowBackend:Provider is '{provider}', and {Adapters.WhyMissing(provider)}");
        }

        var signalDriver = Choice("WorkflowSignalDriver:Provider", INotifierAdapter.Native, adapters.KnownSignalDrivers);
        var rabbitMq = string.Equals(
            Choice("IntegrationEvents:Transport", "None", "None", "RabbitMq"), "RabbitMq", StringComparison.Ordinal);
        return new ServiceSettings
        {
            Provider = provider,
            ConnectionString = store is null ? null : ConnectionString(store),
            Schema = Schema(store),
            RabbitMq = rabbitMq ? RabbitMqSettings.Read(_configuration, _violations) : null,
            SignalDriver = signalDriver,
            SignalDriverConnectionString = SignalDriverConnectionString(adapters.Notifier(signalDriver, provider), store),
            ChannelPrefix = _configuration["WorkflowSignalDriver:ChannelPrefix"] is { Length: > 0 } prefix ? prefix : "workflow",
            Lanes = (int?)Number("WorkflowBackend:Lanes", 1, 64),
            Cluster = Cluster(),
            SignalReceivers = Names("SignalReceivers"),
            MaxBodyBytes = Number("Limits:MaxBodyBytes", 1024, 1 << 30) ?? ServiceSettings.DefaultMaxBodyBytes,
            StopWhenInputEnds = Flag("Hosting:StopWhenInputEnds"),
        };
    }

    private ClusterOptions Cluster()
    {
        var defaults = new ClusterOptions();
        var cluster = new ClusterOptions
        {
            NodeName = _configuration["WorkflowCluster:NodeName"] is { Length: > 0 } name ? name : defaults.NodeName,
            Lease = Milliseconds("LeaseMilliseconds", defaults.Lease),
            RenewalInterval = Milliseconds("RenewalMilliseconds", defaults.RenewalInterval),
            InboxInterval = Milliseconds("InboxMilliseconds", defaults.InboxInterval),
            AnswerTimeout = Milliseconds("AnswerTimeoutMilliseconds", defaults.AnswerTimeout),
        };
        _violations.AddRange(cluster.Violations().Select(v => $"WorkflowCluster: {v}"));
        return cluster;

        TimeSpan Milliseconds(string key, TimeSpan fallback) =>
            Number("WorkflowCluster:" + key, 1, 60_000) is { } number ? TimeSpan.FromMilliseconds(number) : fallback;
    }

    private void CheckKeys()
    {
        foreach (var (section, known) in KnownKeys)
        {
            foreach (var child in _configuration.GetSection(section).GetChildren())
            {
                if (!known.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
                {
                    _violations.Add($"{section}:{child.Key} is not a setting. Known in {section}: {string.Join(", ", known)}.");
                }
            }
        }
    }

    private string Choice(string key, string fallback, params string[] known)
    {
        var text = _configuration[key];
        if (string.IsNullOrEmpty(text))
        {
            return fallback;
        }

        var match = known.FirstOrDefault(k => k.Equals(text, StringComparison.OrdinalIgnoreCase));
        if (match is null)
        {
            _violations.Add($"{key} is '{text}'. Known: {string.Join(", ", known)}.");
        }

        return match ?? fallback;
    }

    private string? ConnectionString(IStoreAdapter store)
    {
        if (store.ExampleConnectionString is not { } example)
        {
            return null;
        }

        var text = _configuration.GetConnectionString("Workflow");
        if (string.IsNullOrWhiteSpace(text))
        {
            _violations.Add($"ConnectionStrings:Workflow is missing, and WorkflowBackend:Provider is {store.Provider}. "
                + $"Set it, e.g. in the environment: ConnectionStrings__Workflow='{example}'.");
            return null;
        }

        if (store.WhyUnusable(text) is { } reason)
        {
            _violations.Add($"ConnectionStrings:Workflow {reason}. It looks like '{example}'.");
        }

        return text;
    }

    /// <summary>
    /// Null for native notifications. Whether the server answers is not asked: without it signals take longer, and nothing else.
    /// </summary>
    private string? SignalDriverConnectionString(INotifierAdapter? notifier, IStoreAdapter? store)
    {
        if (notifier is not { ExampleConnectionString: { } example })
        {
            return null;
        }

        var name = notifier.Provider;
        var text = _configuration.GetConnectionString(name);
        if (store is { ExampleConnectionString: null })
        {
            _violations.Add($"WorkflowSignalDriver:Provider is '{name}', and WorkflowBackend:Provider is {store.Provider}, which no other "
                + "node shares: there is nobody to wake. Use Native, or another backend.");
        }
        else if (notifier.WhyUnusable(text) is { } reason)
        {
            _violations.Add($"ConnectionStrings:{name} {reason}. WorkflowSignalDriver:Provider is '{name}'; "
                + $"set it, e.g. in the environment: ConnectionStrings__{name}='{example}'.");
        }

        return text;
    }

    private string Schema(IStoreAdapter? store)
    {
        var text = _configuration["WorkflowBackend:Schema"];
        if (string.IsNullOrEmpty(text))
        {
            return "workflow";
        }

        if (store?.WhyNoSchema is { } reason)
        {
            _violations.Add(
                $"WorkflowBackend:Schema is '{text}', and WorkflowBackend:Provider is {store.Provider}, {reason}: leave it out.");
        }
        else if (!SchemaName().IsMatch(text))
        {
            _violations.Add($"WorkflowBackend:Schema is '{text}'. "
                + "Use a lower-case letter or underscore, then at most 62 lower-case letters, digits and underscores.");
        }

        return text;
    }

    private long? Number(string key, long minimum, long maximum)
    {
        var text = _configuration[key];
        if (string.IsNullOrEmpty(text))
        {
            return null;
        }

        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) && number >= minimum
            && number <= maximum)
        {
            return number;
        }

        _violations.Add($"{key} is '{text}'. Use a whole number from {minimum} to {maximum}.");
        return null;
    }

    private bool Flag(string key)
    {
        var text = _configuration[key];
        if (string.IsNullOrEmpty(text) || bool.TryParse(text, out _))
        {
            return bool.TryParse(text, out var flag) && flag;
        }

        _violations.Add($"{key} is '{text}'. Use true or false.");
        return false;
    }

    /// <summary>A list in the usual form (<c>SignalReceivers__0=a</c>), or one text with commas.</summary>
    private string[] Names(string key)
    {
        var section = _configuration.GetSection(key);
        var texts = section.GetChildren().Select(c => c.Value ?? "")
            .Concat((section.Value ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries));
        var names = texts.Select(t => t.Trim()).ToArray();
        if (names.Any(n => n.Length is 0 or > 128))
        {
            _violations.Add($"{key} holds a name that is empty or longer than 128 characters: '{string.Join("', '", names)}'.");
        }

        return names.Distinct(StringComparer.Ordinal).ToArray();
    }

    [GeneratedRegex("^[a-z_][a-z0-9_]{0,62}$")]
    private static partial Regex SchemaName();
}

using System.Data.Common;
using System.Globalization;
using System.Text.RegularExpressions;
using Workflow.Engine;
using Workflow.Notifications.Redis;
using Workflow.WebService.Hosting;

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
        var provider = Enum.Parse<BackendProvider>(Choice("WorkflowBackend:Provider", "Memory", "Memory", "Postgres", "Oracle", "Mongo"));
        if (provider == BackendProvider.Mongo && MongoAdapter.WhyMissing is { } missing)
        {
            _violations.Add($"WorkflowBackend:Provider is 'Mongo', and {missing}");
        }

        var rabbitMq = string.Equals(Choice("IntegrationEvents:Transport", "None", "None", "RabbitMq"), "RabbitMq", StringComparison.Ordinal);
        return new ServiceSettings
        {
            Provider = provider,
            ConnectionString = provider == BackendProvider.Memory ? null : ConnectionString(provider),
            Schema = Schema(provider),
            RabbitMq = rabbitMq ? RabbitMqSettings.Read(_configuration, _violations) : null,
            RedisConnectionString = Redis(provider != BackendProvider.Memory),
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

        TimeSpan Milliseconds(string key, TimeSpan fallback) => Number("WorkflowCluster:" + key, 1, 60_000) is { } number ? TimeSpan.FromMilliseconds(number) : fallback;
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

    private string? ConnectionString(BackendProvider provider)
    {
        var example = provider switch
        {
            BackendProvider.Oracle => "Data Source=127.0.0.1:1521/FREEPDB1;User Id=...;Password=...",
            BackendProvider.Mongo => "mongodb://user:password@127.0.0.1:27017/workflow?replicaSet=rs0",
            _ => "Host=127.0.0.1;Database=workflow;Username=...;Password=...",
        };
        var text = _configuration.GetConnectionString("Workflow");
        if (string.IsNullOrWhiteSpace(text))
        {
            _violations.Add($"ConnectionStrings:Workflow is missing, and WorkflowBackend:Provider is {provider}. "
                + $"Set it, e.g. in the environment: ConnectionStrings__Workflow='{example}'.");
            return null;
        }

        if (provider == BackendProvider.Mongo)
        {
            if (!MongoScheme().IsMatch(text))
            {
                _violations.Add($"ConnectionStrings:Workflow does not begin with mongodb:// or mongodb+srv://. It looks like '{example}'.");
            }

            return text;
        }

        try
        {
            _ = new DbConnectionStringBuilder { ConnectionString = text };
        }
        catch (ArgumentException)
        {
            // The text is not quoted, nor is the parser's message: both may hold the password.
            _violations.Add($"ConnectionStrings:Workflow is not a list of key=value pairs divided by semicolons, e.g. '{example}'.");
        }

        return text;
    }

    /// <summary>Null unless Redis is the signal driver. Whether it answers is not asked: without it signals take longer, and nothing else.</summary>
    private string? Redis(bool isShared)
    {
        if (Choice("WorkflowSignalDriver:Provider", "Native", "Native", "Redis") == "Native")
        {
            return null;
        }

        var text = _configuration.GetConnectionString("Redis");
        if (!isShared)
        {
            _violations.Add("WorkflowSignalDriver:Provider is 'Redis', and WorkflowBackend:Provider is Memory, which no other node shares: there is nobody to wake. Use Native, or another backend.");
        }
        else if (RedisNotifierOptions.WhyUnusable(text) is { } reason)
        {
            _violations.Add($"ConnectionStrings:Redis {reason}. WorkflowSignalDriver:Provider is 'Redis'; set it, e.g. in the environment: ConnectionStrings__Redis='{RedisNotifierOptions.Example}'.");
        }

        return text;
    }

    private string Schema(BackendProvider provider)
    {
        var text = _configuration["WorkflowBackend:Schema"];
        if (string.IsNullOrEmpty(text))
        {
            return "workflow";
        }

        if (provider == BackendProvider.Oracle)
        {
            _violations.Add($"WorkflowBackend:Schema is '{text}', and WorkflowBackend:Provider is Oracle, whose schema is that of the user who connects: leave it out.");
        }
        else if (provider == BackendProvider.Mongo)
        {
            _violations.Add($"WorkflowBackend:Schema is '{text}', and WorkflowBackend:Provider is Mongo, which has the database that ConnectionStrings:Workflow names instead: leave it out.");
        }
        else if (!SchemaName().IsMatch(text))
        {
            _violations.Add($"WorkflowBackend:Schema is '{text}'. Use a lower-case letter or underscore, then at most 62 lower-case letters, digits and underscores.");
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

        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) && number >= minimum && number <= maximum)
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
        var texts = section.GetChildren().Select(c => c.Value ?? "").Concat((section.Value ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries));
        var names = texts.Select(t => t.Trim()).ToArray();
        if (names.Any(n => n.Length is 0 or > 128))
        {
            _violations.Add($"{key} holds a name that is empty or longer than 128 characters: '{string.Join("', '", names)}'.");
        }

        return names.Distinct(StringComparer.Ordinal).ToArray();
    }

    [GeneratedRegex("^[a-z_][a-z0-9_]{0,62}$")]
    private static partial Regex SchemaName();

    [GeneratedRegex(@"^mongodb(\+srv)?://")]
    private static partial Regex MongoScheme();
}

using System.Text.RegularExpressions;

namespace Payments.Service.Configuration;

/// <summary>Reads the settings and reports every violation together.</summary>
internal sealed partial class PaymentSettingsReader
{
    private static readonly Dictionary<string, string[]> KnownKeys = new(StringComparer.OrdinalIgnoreCase)
    {
        ["PaymentStore"] = ["Provider", "Schema", "Connections"],
        ["Transport"] = ["Provider", "Prefix"],
        ["Consumers"] = ["ConcurrentMessages", "PaymentSettled"],
        ["Consumers:PaymentSettled"] = ["MinDelay", "MaxDelay", "Seed"],
        ["Recovery"] = ["RepeatAfter"],
        ["Hosting"] = ["StopWhenInputEnds"],
    };

    private const string SchemaAdvice =
        "Use at most 63 lower-case letters, digits and underscores, and no digit first.";
    private const string PrefixAdvice = "Use at most 63 letters, digits, dots, underscores and hyphens.";
    private static readonly TimeSpan ShortestRepeat = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan LongestRepeat = TimeSpan.FromDays(1);
    private readonly SettingsReader _reader;

    private PaymentSettingsReader(IConfiguration configuration) =>
        _reader = new(
            key => configuration[key], key => configuration.GetSection(key).GetChildren().Select(child => child.Key));

    /// <exception cref="InvalidSettingsException">Something is wrong; everything that is wrong is listed.</exception>
    public static PaymentSettings Read(IConfiguration configuration)
    {
        var payments = new PaymentSettingsReader(configuration);
        var settings = payments.ReadAll();
        payments._reader.ThrowIfInvalid();
        return settings;
    }

    private PaymentSettings ReadAll()
    {
        _reader.CheckKeys(KnownKeys);
        var fallback = new PaymentSettings();
        var isPostgres = _reader.Choice("PaymentStore:Provider", "Memory", "Memory", "Postgres") == "Postgres";
        var isBroker = _reader.Choice("Transport:Provider", "InMemory", "InMemory", "RabbitMq") == "RabbitMq";
        var minDelay = _reader.Duration("Consumers:PaymentSettled:MinDelay");
        var maxDelay = _reader.Duration("Consumers:PaymentSettled:MaxDelay");
        var settings = fallback with
        {
            ConnectionString = isPostgres ? ConnectionString() : null,
            Schema = _reader.Text("PaymentStore:Schema", SchemaName(), SchemaAdvice) ?? fallback.Schema,
            Connections = (int?)_reader.Number("PaymentStore:Connections", 1, 1_000) ?? fallback.Connections,
            BrokerConnectionString = isBroker ? BrokerConnectionString() : null,
            TransportPrefix = _reader.Text("Transport:Prefix", TransportPrefix(), PrefixAdvice) ?? "",
            Currencies = Currencies() ?? fallback.Currencies,
            ConcurrentMessages = (int?)_reader.Number("Consumers:ConcurrentMessages", 1, 10_000)
                ?? fallback.ConcurrentMessages,
            SettledMinDelay = minDelay ?? TimeSpan.Zero,
            SettledMaxDelay = maxDelay ?? minDelay ?? TimeSpan.Zero,
            SettledSeed = (int?)_reader.Number("Consumers:PaymentSettled:Seed", 0, int.MaxValue)
                ?? fallback.SettledSeed,
            RepeatAfter = RepeatAfter() ?? fallback.RepeatAfter,
            StopWhenInputEnds = _reader.Flag("Hosting:StopWhenInputEnds"),
        };
        CheckTimes(settings);
        return settings;
    }

    private void CheckTimes(PaymentSettings settings)
    {
        var (minimum, maximum, repeat) =
            (Words(settings.SettledMinDelay), Words(settings.SettledMaxDelay), Words(settings.RepeatAfter));
        if (settings.SettledMinDelay > settings.SettledMaxDelay)
        {
            _reader.Refuse(
                $"Consumers:PaymentSettled:MinDelay {minimum} is longer than MaxDelay {maximum}; exchange them.");
        }

        if (settings.RepeatAfter <= settings.SettledMaxDelay)
        {
            _reader.Refuse($"Recovery:RepeatAfter {repeat} is not longer than Consumers:PaymentSettled:MaxDelay "
                + $"{maximum}: "
                + "every event that is slowly consumed would be published again. Raise the one or lower the other.");
        }
    }

    private TimeSpan? RepeatAfter()
    {
        const string Key = "Recovery:RepeatAfter";
        var repeat = _reader.Duration(Key);
        if (repeat is null || (repeat >= ShortestRepeat && repeat <= LongestRepeat))
        {
            return repeat;
        }

        _reader.Refuse(
            $"{Key} is '{_reader.Text(Key)}'. Use {Words(ShortestRepeat)} to {LongestRepeat.TotalMinutes:0}m.");
        return null;
    }

    private string? ConnectionString()
    {
        const string Example = "'Host=127.0.0.1;Database=payments;Username=...;Password=...'";
        var text = _reader.Text("ConnectionStrings:Payments");
        if (string.IsNullOrWhiteSpace(text))
        {
            _reader.Refuse("ConnectionStrings:Payments is missing, and PaymentStore:Provider is Postgres. "
                + $"Set it, e.g. in the environment: ConnectionStrings__Payments={Example}.");
            return null;
        }

        try
        {
            _ = new Npgsql.NpgsqlConnectionStringBuilder(text);
        }
        catch (Exception e) when (e is ArgumentException or FormatException or KeyNotFoundException)
        {
            // The text is not quoted, nor is the parser's message: both may hold the password.
            _reader.Refuse(
                "ConnectionStrings:Payments cannot be read. It is a list of key=value pairs divided by semicolons, "
                    + $"e.g. {Example}.");
        }

        return text;
    }

    private string? BrokerConnectionString()
    {
        const string Example = "'amqp://user:password@127.0.0.1:5672/vhost'";
        var text = _reader.Text("ConnectionStrings:RabbitMq");
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Scheme != "amqp" || uri.Host.Length == 0)
        {
            // The text is not quoted: any part of it may be the password.
            _reader.Refuse("ConnectionStrings:RabbitMq is "
                + $"{(string.IsNullOrWhiteSpace(text) ? "missing" : "not an amqp URI")}, and "
                + "Transport:Provider is RabbitMq. Set it, e.g. in the environment: "
                + $"ConnectionStrings__RabbitMq={Example}, special characters percent-encoded.");
        }

        return text;
    }

    private IReadOnlyList<string>? Currencies()
    {
        var codes = _reader.List("Currencies");
        if (codes.Any(code => !CurrencyCode().IsMatch(code)))
        {
            _reader.Refuse(
                $"Currencies is '{string.Join(",", codes)}'. Use ISO 4217 codes of three capitals with commas, e.g. "
                + "EUR,GBP.");
        }

        return codes.Count == 0 ? null : codes;
    }

    private static string Words(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0}ms");

    [GeneratedRegex("^[A-Z]{3}$")]
    private static partial Regex CurrencyCode();

    [GeneratedRegex("^[a-z_][a-z0-9_]{0,62}$")]
    private static partial Regex SchemaName();

    [GeneratedRegex("^[A-Za-z0-9._-]{0,63}$")]
    private static partial Regex TransportPrefix();
}

using System.Globalization;
using System.Text.RegularExpressions;

namespace Payments.Service.Configuration;

/// <summary>Reads the settings and reports every violation together.</summary>
internal sealed partial class SettingsReader
{
    // A misspelt key would otherwise be a setting that silently does nothing.
    private static readonly Dictionary<string, string[]> KnownKeys = new(StringComparer.OrdinalIgnoreCase)
    {
        ["PaymentStore"] = ["Provider", "Schema", "Connections"],
        ["Transport"] = ["Provider", "Prefix"],
        ["Consumers"] = ["ConcurrentMessages", "PaymentSettled"],
        ["Consumers:PaymentSettled"] = ["MinDelay", "MaxDelay", "Seed"],
        ["Recovery"] = ["RepeatAfter"],
        ["Hosting"] = ["StopWhenInputEnds"],
    };

    private readonly IConfiguration _configuration;
    private readonly List<string> _violations = [];

    private SettingsReader(IConfiguration configuration) => _configuration = configuration;

    /// <exception cref="InvalidSettingsException">Something is wrong; everything that is wrong is listed.</exception>
    public static PaymentSettings Read(IConfiguration configuration)
    {
        var reader = new SettingsReader(configuration);
        var settings = reader.ReadAll();
        return reader._violations.Count == 0 ? settings : throw new InvalidSettingsException(reader._violations);
    }

    private PaymentSettings ReadAll()
    {
        CheckKeys();
        var fallback = new PaymentSettings();
        var isPostgres = Choice("PaymentStore:Provider", "Memory", "Postgres") == "Postgres";
        var isBroker = Choice("Transport:Provider", "InMemory", "RabbitMq") == "RabbitMq";
        var minDelay = Time("Consumers:PaymentSettled:MinDelay");
        var maxDelay = Time("Consumers:PaymentSettled:MaxDelay");
        var settings = fallback with
        {
            ConnectionString = isPostgres ? ConnectionString() : null,
            Schema = SchemaName() ?? fallback.Schema,
            Connections = Number("PaymentStore:Connections", 1, 1_000) ?? fallback.Connections,
            BrokerConnectionString = isBroker ? BrokerConnectionString() : null,
            TransportPrefix = TransportPrefix(),
            Currencies = Currencies() ?? fallback.Currencies,
            ConcurrentMessages = Number("Consumers:ConcurrentMessages", 1, 10_000) ?? fallback.ConcurrentMessages,
            SettledMinDelay = minDelay ?? TimeSpan.Zero,
            SettledMaxDelay = maxDelay ?? minDelay ?? TimeSpan.Zero,
            SettledSeed = Number("Consumers:PaymentSettled:Seed", 0, int.MaxValue) ?? fallback.SettledSeed,
            RepeatAfter = Time("Recovery:RepeatAfter") ?? fallback.RepeatAfter,
            StopWhenInputEnds = Choice("Hosting:StopWhenInputEnds", "false", "true") == "true",
        };
        CheckTimes(settings);
        return settings;
    }

    private void CheckKeys()
    {
        foreach (var (section, known) in KnownKeys)
        {
            _violations.AddRange(_configuration.GetSection(section).GetChildren()
                .Where(child => !known.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
                .Select(child => $"{section}:{child.Key} is not a setting. Known in {section}: {string.Join(", ", known)}."));
        }
    }

    private void CheckTimes(PaymentSettings settings)
    {
        var (minimum, maximum, repeat) = (Words(settings.SettledMinDelay), Words(settings.SettledMaxDelay), Words(settings.RepeatAfter));
        if (settings.SettledMinDelay > settings.SettledMaxDelay)
        {
            _violations.Add($"Consumers:PaymentSettled:MinDelay {minimum} is longer than MaxDelay {maximum}; exchange them.");
        }

        if (settings.RepeatAfter <= settings.SettledMaxDelay)
        {
            _violations.Add($"Recovery:RepeatAfter {repeat} is not longer than Consumers:PaymentSettled:MaxDelay {maximum}: "
                + "every event that is slowly consumed would be told again. Raise the one or lower the other.");
        }
    }

    private string Choice(string key, params string[] known)
    {
        var text = _configuration[key];
        if (string.IsNullOrEmpty(text))
        {
            return known[0];
        }

        var match = known.FirstOrDefault(k => k.Equals(text, StringComparison.OrdinalIgnoreCase));
        if (match is null)
        {
            _violations.Add($"{key} is '{text}'. Known: {string.Join(", ", known)}.");
        }

        return match ?? known[0];
    }

    private string? ConnectionString()
    {
        const string Example = "'Host=127.0.0.1;Database=payments;Username=...;Password=...'";
        var text = _configuration.GetConnectionString("Payments");
        if (string.IsNullOrWhiteSpace(text))
        {
            _violations.Add("ConnectionStrings:Payments is missing, and PaymentStore:Provider is Postgres. "
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
            _violations.Add($"ConnectionStrings:Payments cannot be read. It is a list of key=value pairs divided by semicolons, e.g. {Example}.");
        }

        return text;
    }

    private string? BrokerConnectionString()
    {
        const string Example = "'amqp://user:password@127.0.0.1:5672/vhost'";
        var text = _configuration.GetConnectionString("RabbitMq");
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Scheme != "amqp" || uri.Host.Length == 0)
        {
            // The text is not quoted: any part of it may be the password.
            _violations.Add($"ConnectionStrings:RabbitMq is {(string.IsNullOrWhiteSpace(text) ? "missing" : "not an amqp URI")}, and Transport:Provider is RabbitMq. "
                + $"Set it, e.g. in the environment: ConnectionStrings__RabbitMq={Example}, special characters percent-encoded.");
        }

        return text;
    }

    private string TransportPrefix()
    {
        var text = _configuration["Transport:Prefix"] ?? "";
        if (!TransportPrefixPattern().IsMatch(text))
        {
            _violations.Add($"Transport:Prefix is '{text}'. Use at most 63 letters, digits, dots, underscores and hyphens.");
        }

        return text;
    }

    private IReadOnlyList<string>? Currencies()
    {
        var section = _configuration.GetSection("Currencies");
        var listed = section.GetChildren().Select(c => c.Value ?? "").Concat((section.Value ?? "").Split(',', StringSplitOptions.RemoveEmptyEntries));
        string[] codes = [.. listed.Select(code => code.Trim())];
        if (codes.Any(code => !CurrencyCode().IsMatch(code)))
        {
            _violations.Add($"Currencies is '{string.Join(",", codes)}'. Use ISO 4217 codes of three capitals with commas, e.g. EUR,GBP.");
        }

        return codes.Length == 0 ? null : codes;
    }

    private string? SchemaName()
    {
        var text = _configuration["PaymentStore:Schema"];
        if (!string.IsNullOrEmpty(text) && !SchemaPattern().IsMatch(text))
        {
            _violations.Add($"PaymentStore:Schema is '{text}'. Use at most 63 lower-case letters, digits and underscores, and no digit first.");
        }

        return string.IsNullOrEmpty(text) ? null : text;
    }

    private int? Number(string key, int minimum, int maximum)
    {
        var text = _configuration[key];
        if (string.IsNullOrEmpty(text))
        {
            return null;
        }

        if (int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var number) && number >= minimum && number <= maximum)
        {
            return number;
        }

        _violations.Add($"{key} is '{text}'. Use a whole number from {minimum} to {maximum}.");
        return null;
    }

    private TimeSpan? Time(string key)
    {
        var text = _configuration[key];
        if (string.IsNullOrEmpty(text))
        {
            return null;
        }

        if (Duration().Match(text) is not { Success: true } match)
        {
            _violations.Add($"{key} is '{text}'. Use a whole number of at most six digits and a unit, ms, s or m, e.g. 500ms, 9s.");
            return null;
        }

        var number = int.Parse(match.Groups[1].ValueSpan, CultureInfo.InvariantCulture);
        return match.Groups[2].Value switch
        {
            "ms" => TimeSpan.FromMilliseconds(number),
            "s" => TimeSpan.FromSeconds(number),
            _ => TimeSpan.FromMinutes(number),
        };
    }

    private static string Words(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMilliseconds:0}ms");

    [GeneratedRegex("^([0-9]{1,6})(ms|s|m)$")]
    private static partial Regex Duration();

    [GeneratedRegex("^[A-Z]{3}$")]
    private static partial Regex CurrencyCode();

    [GeneratedRegex("^[a-z_][a-z0-9_]{0,62}$")]
    private static partial Regex SchemaPattern();

    [GeneratedRegex("^[A-Za-z0-9._-]{0,63}$")]
    private static partial Regex TransportPrefixPattern();
}

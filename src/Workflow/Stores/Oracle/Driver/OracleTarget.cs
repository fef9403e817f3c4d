using System.Data.Common;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>Where a connection string leads, without its secret.</summary>
internal sealed class OracleTarget
{
    private const string Example = "It looks like Data Source=127.0.0.1:1521/FREEPDB1;User Id=workflow;Password=...";
    private const int ConnectSeconds = 10;

    private readonly DbConnectionStringBuilder _builder;

    /// <exception cref="ArgumentException">
    /// It cannot be read, or names no server or user; the message has no password.
    /// </exception>
    public OracleTarget(string connectionString)
    {
        try
        {
            _builder = new() { ConnectionString = connectionString };
        }
        catch (ArgumentException)
        {
            // Neither the text nor the parser's message is repeated: both may hold the password.
            throw new ArgumentException(
                $"The Oracle connection string is not a list of key=value pairs divided by semicolons. {Example}",
                nameof(connectionString));
        }

        DataSource = Required("Data Source");
        User = Required("User Id");
    }

    public string DataSource { get; }

    public string User { get; }

    public override string ToString() => $"Oracle at {DataSource}, user '{User}'";

    /// <summary>
    /// Connections that are kept for the next one who asks. The driver has a pool for each text: another
    /// <paramref name="kept"/> is another pool.
    /// </summary>
    public string Pooled(int size, int kept) => With(
        ("Pooling", "true"),
        ("Min Pool Size", kept.ToString(CultureInfo.InvariantCulture)),
        ("Max Pool Size", size.ToString(CultureInfo.InvariantCulture)));

    /// <summary>A connection without a pool. Its statements stay parsed.</summary>
    public string Single() => With(("Pooling", "false"), ("Statement Cache Size", "40"));

    private string With(params ReadOnlySpan<(string Key, string Value)> settings)
    {
        var builder = new DbConnectionStringBuilder { ConnectionString = _builder.ConnectionString };
        foreach (var (key, value) in settings)
        {
            builder[key] = value;
        }

        var given = builder.TryGetValue("Connection Timeout", out var text)
            && int.TryParse(text.ToString(), CultureInfo.InvariantCulture, out var seconds) ? seconds : ConnectSeconds;
        builder["Connection Timeout"] = Math.Clamp(given, 1, ConnectSeconds).ToString(CultureInfo.InvariantCulture);
        return builder.ConnectionString;
    }

    private string Required(string key) =>
        _builder.TryGetValue(key, out var value) && value.ToString() is { Length: > 0 } text
            ? text
            : throw new ArgumentException($"The Oracle connection string names no {key}. {Example}", key);
}

using System.Text.RegularExpressions;

namespace PerformanceTesting.Backends.MongoDb;

/// <summary>
/// A connection string taken apart: <c>mongodb://user:password@host:port,host:port/database?option=value</c>. Not a
/// record: it would print the password.
/// </summary>
public sealed partial class MongoAddress
{
    public const string Example = "mongodb://user:password@127.0.0.1:27017/?replicaSet=rs0";

    private const string AuthenticationSource = "authSource";

    private readonly string _scheme;
    private readonly string _account;
    private readonly string _hosts;
    private readonly IReadOnlyList<string> _options;

    private MongoAddress(string scheme, string account, string hosts, string? database, IReadOnlyList<string> options)
    {
        _scheme = scheme;
        _account = account;
        _hosts = hosts;
        Database = database;
        _options = options;
    }

    /// <summary>The database that it names; null without one.</summary>
    public string? Database { get; }

    /// <summary>Takes a connection string apart; the driver checks the rest of it.</summary>
    /// <exception cref="BackendException">
    /// It is none; the message repeats nothing of it, as any part of it may be the password.
    /// </exception>
    public static MongoAddress Parse(string connectionString, string variable)
    {
        var match = Form().Match(connectionString);
        return match.Success
            ? new(
                match.Groups["scheme"].Value,
                match.Groups["account"].Value,
                match.Groups["hosts"].Value,
                match.Groups["database"].Value is { Length: > 0 } database ? database : null,
                match.Groups["options"].Value.Split('&', StringSplitOptions.RemoveEmptyEntries))
            : throw new BackendException(
                $"{variable} is not a MongoDB connection string; it looks like '{Example}'. Escape characters such as "
                    + "'@' and '/' of a password (%40, %2F).");
    }

    /// <summary>
    /// The same server and account, and another database, which would otherwise be where the account is looked for too.
    /// </summary>
    public string In(string database)
    {
        var isSaid = _account.Length == 0
            || _options.Any(
                option => option.StartsWith(AuthenticationSource + "=", StringComparison.OrdinalIgnoreCase));
        string[] options = [.. _options, .. isSaid ? [] : new[] { $"{AuthenticationSource}={Database ?? "admin"}" }];
        return $"{_scheme}{_account}{_hosts}/{database}{(options.Length > 0 ? "?" : "")}{string.Join('&', options)}";
    }

    /// <summary>Hosts and user, never the password.</summary>
    public override string ToString() =>
        $"MongoDB at "
            + $"{_hosts}{(_account.Length > 0 ? $", user '{Uri.UnescapeDataString(_account.TrimEnd('@').Split(':')[0])}'" : "")}";

    [GeneratedRegex(
        @"^(?<scheme>mongodb(\+srv)?://)(?<account>[^@/]+@)?(?<hosts>[^@/?\s]+)(/(?<database>[^?/\s]*))?(\?(?<options>\S*))?$",
        RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture)]
    private static partial Regex Form();
}

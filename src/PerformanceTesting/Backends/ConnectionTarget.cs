using System.Text.RegularExpressions;
using Npgsql;

namespace PerformanceTesting.Backends;

/// <summary>Parses connection strings and names them in messages by everything but their password.</summary>
internal static partial class ConnectionTarget
{
    public static string Describe(NpgsqlConnectionStringBuilder builder) =>
        $"host={builder.Host}, port={builder.Port}, database={builder.Database ?? builder.Username}, user={builder.Username}";

    /// <summary>Parses, or says what is wrong without repeating a value: any part of a malformed string may be the password.</summary>
    public static NpgsqlConnectionStringBuilder Parse(string connectionString, string variable)
    {
        try
        {
            var builder = new NpgsqlConnectionStringBuilder(connectionString);
            return string.IsNullOrEmpty(builder.Host)
                ? throw new BackendException($"{variable} names no Host. {Expected(connectionString)}")
                : builder;
        }
        catch (Exception exception) when (exception is ArgumentException or FormatException or OverflowException)
        {
            // Not chained: the parser's own message may quote the offending value.
            throw new BackendException($"{variable} is not an Npgsql connection string. {Expected(connectionString)}");
        }
    }

    private static string Expected(string connectionString)
    {
        var keywords = connectionString.Split(';')
            .Select(part => part.Split('=', 2))
            .Where(pair => pair.Length == 2 && Keyword().IsMatch(pair[0]))
            .Select(pair => pair[0].Trim());
        return $"Expected 'Host=...;Port=5432;Username=...;Password=...;Database=...', found the keywords [{string.Join(", ", keywords)}].";
    }

    [GeneratedRegex(@"^[A-Za-z_ ]{1,40}$", RegexOptions.CultureInvariant)]
    private static partial Regex Keyword();
}

using System.Collections.Concurrent;
using System.Globalization;

namespace Payments.Service.Stores.PostgreSql;

/// <summary>The statements and the schema, from the files beside this one.</summary>
internal static class SqlFiles
{
    private const string SchemaFolder = ".Stores.PostgreSql.Schema.";
    private static readonly ConcurrentDictionary<string, string> Statements = new(StringComparer.Ordinal);

    public static string Statement(string name) => Statements.GetOrAdd(name, static n => Read($"Payments.Service.Stores.PostgreSql.Sql.{n}.sql"));

    /// <summary>Schema files by number, the lowest first.</summary>
    public static IEnumerable<(int Version, string Text)> Schema() =>
        from name in typeof(SqlFiles).Assembly.GetManifestResourceNames()
        let at = name.IndexOf(SchemaFolder, StringComparison.Ordinal)
        where at >= 0
        let version = int.Parse(name.AsSpan(at + SchemaFolder.Length, 3), CultureInfo.InvariantCulture)
        orderby version
        select (version, Read(name));

    private static string Read(string resource)
    {
        using var reader = new StreamReader(typeof(SqlFiles).Assembly.GetManifestResourceStream(resource)
            ?? throw new InvalidOperationException($"There is no file for the resource '{resource}'."));
        return reader.ReadToEnd();
    }
}

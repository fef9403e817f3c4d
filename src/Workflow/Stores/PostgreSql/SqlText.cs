using System.Collections.Concurrent;

namespace Workflow.Stores.PostgreSql;

/// <summary>The statements, from the files in <c>Sql/</c> and <c>Schema/</c>.</summary>
internal static class SqlText
{
    private static readonly ConcurrentDictionary<string, string> Cache = new(StringComparer.Ordinal);

    public static string Of(string name) => Cache.GetOrAdd(name, static n => Read($".Sql.{n}.sql"));

    /// <summary>Schema files in order of their number.</summary>
    public static IReadOnlyList<(int Version, string Text)> SchemaFiles() =>
    [
        .. Names().Where(n => n.Contains(".Schema.", StringComparison.Ordinal))
            .Select(n => (Name: n, Number: n[(n.IndexOf(".Schema.", StringComparison.Ordinal) + 8)..].TrimStart('_')[..3]))
            .Select(n => (int.Parse(n.Number, System.Globalization.CultureInfo.InvariantCulture), ReadResource(n.Name)))
            .OrderBy(f => f.Item1),
    ];

    private static string Read(string suffix) => ReadResource(Names().Single(n => n.EndsWith(suffix, StringComparison.Ordinal)));

    private static string[] Names() => typeof(SqlText).Assembly.GetManifestResourceNames();

    private static string ReadResource(string name)
    {
        using var reader = new StreamReader(typeof(SqlText).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd();
    }
}

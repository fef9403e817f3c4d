using System.Collections.Concurrent;

namespace Workflow.Stores.Oracle.Driver;

/// <summary>The statements of this assembly, from the files in <c>Sql/</c> and <c>Schema/</c>.</summary>
internal static class SqlText
{
    private static readonly ConcurrentDictionary<string, string> Cache = new(StringComparer.Ordinal);

    public static string Of(string name) => Cache.GetOrAdd(name, static n => Read(Names().Single(r => r.EndsWith($".Sql.{n}.sql", StringComparison.Ordinal))));

    /// <summary>Schema files in order of their number, each as its statements, which lines with a slash divide.</summary>
    public static IReadOnlyList<(int Version, IReadOnlyList<string> Statements)> SchemaFiles() =>
    [
        .. Names().Where(n => n.Contains(".Schema.", StringComparison.Ordinal))
            .Select(n => (Name: n, Number: n[(n.IndexOf(".Schema.", StringComparison.Ordinal) + 8)..].TrimStart('_')[..3]))
            .Select(n => (int.Parse(n.Number, System.Globalization.CultureInfo.InvariantCulture), Statements(Read(n.Name))))
            .OrderBy(f => f.Item1),
    ];

    private static IReadOnlyList<string> Statements(string text) =>
        [.. text.Split("\n/\n", StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)];

    private static string[] Names() => typeof(SqlText).Assembly.GetManifestResourceNames();

    private static string Read(string name)
    {
        using var reader = new StreamReader(typeof(SqlText).Assembly.GetManifestResourceStream(name)!);
        return reader.ReadToEnd();
    }
}

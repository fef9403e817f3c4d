namespace UnitTests.Workflow.Oracle;

/// <summary>The SQL files of the Oracle store as text, and what can be seen of them without a server.</summary>
internal static partial class OracleSql
{
    private const string Store = "src/Workflow/Stores/Oracle/";

    /// <summary>Every statement of the store, by its name.</summary>
    public static IReadOnlyDictionary<string, string> Statements { get; } =
        In(Store + "Sql/").SelectMany(Named).ToDictionary();

    /// <summary>Those, and what the backend asks a server.</summary>
    public static IReadOnlyDictionary<string, string> AllStatements { get; } =
        Statements.Concat(In("src/PerformanceTesting/Backends/Oracle/Sql/").SelectMany(Named)).ToDictionary();

    public static string Statement(string name) => Statements[name];

    /// <summary>The name of a statement, of which lines may have been left out; null for one of the schema's.</summary>
    public static string? NameOf(string text) => AllStatements
        .FirstOrDefault(
            statement =>
                text.Split('\n').All(statement.Value.Split('\n').ToHashSet(StringComparer.Ordinal).Contains)).Key;

    /// <summary>The statements of the schema, without their comments.</summary>
    public static IReadOnlyList<string> SchemaStatements { get; } =
    [
        .. In(Store + "Schema/")
            .SelectMany(f =>
                Bare(TextOf(f), keepTexts: true)
                    .Split("\n/\n", StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries)),
    ];

    /// <summary>The columns of every table.</summary>
    public static IReadOnlyDictionary<string, IReadOnlySet<string>> Tables { get; } =
        SchemaStatements.Append(Statement("create_versions"))
        .Select(statement => CreateTable().Match(statement))
        .Where(match => match.Success)
        .ToDictionary(
            match => match.Groups["name"].Value,
            match => (IReadOnlySet<string>)ColumnName().Matches(match.Groups["body"].Value)
                .Select(column => column.Groups[1].Value)
                .ToHashSet(StringComparer.Ordinal),
            StringComparer.Ordinal);

    /// <summary>Names of the bind variables, once each. A colon in a text or a comment is none.</summary>
    public static IReadOnlySet<string> Binds(string text) =>
        BindName().Matches(Bare(text, keepTexts: false)).Select(match => match.Groups[1].Value)
            .ToHashSet(StringComparer.Ordinal);

    /// <summary>
    /// For each list in a document, the members that are read of it: <c>$.keys[*]</c> gives <c>keys</c>, <c>$</c> and
    /// <c>$[*]</c> give nothing.
    /// </summary>
    public static ILookup<string, string> Paths(string text) => JsonTable().Matches(Bare(text, keepTexts: true))
        .SelectMany(table => ColumnPath().Matches(table.Groups["columns"].Value)
            .Select(path => (List: table.Groups["list"].Value, Path: path.Groups[1].Value)))
        .ToLookup(p => p.List, p => p.Path, StringComparer.Ordinal);

    /// <summary>The text without comments and, unless they are kept, without what stands in quotes.</summary>
    public static string Bare(string text, bool keepTexts) =>
        TextOrComment().Replace(text, match => match.Value[0] == '-' ? "" : keepTexts ? match.Value : "''");

    private static string TextOf(string file) => File.ReadAllText(Path.Combine(Checkout.Root, file));

    private static IEnumerable<KeyValuePair<string, string>> Named(string path)
    {
        var file = SqlFile.Parse(Path.GetFileNameWithoutExtension(path), TextOf(path));
        return file.Names.Select(name => KeyValuePair.Create(name, file[name]));
    }

    private static IEnumerable<string> In(string folder) =>
        Directory.EnumerateFiles(Path.Combine(Checkout.Root, folder), "*.sql")
            .Select(file => folder + Path.GetFileName(file))
            .Order(StringComparer.Ordinal);

    [GeneratedRegex(@"'(?:[^']|'')*'|--[^\n]*")]
    private static partial Regex TextOrComment();

    [GeneratedRegex(@":([a-z]\w*)")]
    private static partial Regex BindName();

    [GeneratedRegex(
        @"json_table\([^,]+, '\$(?:\.(?<list>\w+))?(?:\[\*\])?' error on error columns \((?<columns>.*?)\)\) j",
        RegexOptions.Singleline)]
    private static partial Regex JsonTable();

    [GeneratedRegex(@"path '\$\.([\w.]+)'")]
    private static partial Regex ColumnPath();

    [GeneratedRegex(@"^create table (?<name>\w+) \((?<body>.*?)\)(?:\n[a-z].*|\s*)$", RegexOptions.Singleline)]
    private static partial Regex CreateTable();

    [GeneratedRegex(@"(?:^|,)\s*(\w+)\s+(?:number|varchar2|raw|clob|timestamp)\b", RegexOptions.Multiline)]
    private static partial Regex ColumnName();
}

namespace UnitTests.HouseStyle;

/// <summary>Files of named statements, which only a running statement would otherwise find wrong.</summary>
public sealed partial class SqlTests
{
    private const string PostgreSql = "src/Workflow/Stores/PostgreSql/";
    private const string Oracle = "src/Workflow/Stores/Oracle/";

    private static readonly Dictionary<string, SqlFile> Files = Repository.Files
        .Where(file => StatementFile().IsMatch(file))
        .ToDictionary(
            file => file, file => SqlFile.Parse(Path.GetFileNameWithoutExtension(file), Repository.Text(file)),
            StringComparer.Ordinal);

    [Fact]
    public void Every_statement_that_a_store_uses_is_there()
    {
        var uses = new[] { PostgreSql, Oracle }.SelectMany(store => Use().Matches(Sources(store))
            .Select(use =>
                (File: $"{store}Sql/{use.Groups[1].Value.ToLowerInvariant()}.sql", Name: use.Groups[2].Value)))
            .ToList();

        Assert.True(uses.Count > 78);
        Assert.All(uses, use => Assert.Contains(use.Name, Files[use.File].Names));
    }

    private static string Sources(string folder) =>
        string.Concat(
            Repository.Sources.Where(file => file.StartsWith(folder, StringComparison.Ordinal))
                .Select(Repository.Text));

    [GeneratedRegex(@"^src/.*/Sql/[^/]+\.sql$")]
    private static partial Regex StatementFile();

    [GeneratedRegex(@"\bSql\.(\w+)\[""(\w+)""\]")]
    private static partial Regex Use();
}

namespace IntegrationTests.Dashboards;

/// <param name="Queries">Each with the legend of its series, in which labels stand in double braces.</param>
internal sealed record Panel(string Title, IReadOnlyList<(string Query, string Legend)> Queries);

/// <summary>A dashboard of <c>fixtures/dashboards</c>.</summary>
/// <param name="Sources">The data sources that it names.</param>
/// <param name="Choices">Queries for the values that its reader chooses from.</param>
internal sealed record Dashboard(
    string Name, IReadOnlyList<Panel> Panels, IReadOnlySet<string> Sources, IReadOnlyList<string> Choices)
{
    public static string Folder { get; } = Checkout.Fixture("dashboards");

    public static IReadOnlyList<Dashboard> All { get; } =
        [.. Directory.EnumerateFiles(Folder, "*.json").Order(StringComparer.Ordinal).Select(Read)];

    private static Dashboard Read(string path)
    {
        using var document = JsonDocument.Parse(File.ReadAllText(path));
        var root = document.RootElement;
        var variables = root.GetProperty("templating").GetProperty("list").EnumerateArray().ToList();
        var panels = root.GetProperty("panels").EnumerateArray().ToList();
        return new Dashboard(
            Path.GetFileNameWithoutExtension(path), [.. panels.Select(ReadPanel)],
            panels.Concat(variables).Select(part => Text(part.GetProperty("datasource"), "uid")).ToHashSet(),
            [.. variables.Select(variable => Text(variable.GetProperty("query"), "query"))]);
    }

    private static Panel ReadPanel(JsonElement panel) => new(
        Text(panel, "title"),
        [.. panel.GetProperty("targets").EnumerateArray()
            .Select(target => (Text(target, "expr"), Text(target, "legendFormat")))]);

    private static string Text(JsonElement of, string member) => of.GetProperty(member).GetString()!;
}

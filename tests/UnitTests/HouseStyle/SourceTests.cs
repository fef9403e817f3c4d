namespace UnitTests.HouseStyle;

public sealed partial class SourceTests
{
    [Fact]
    public void No_file_names_a_path_of_a_machine() =>
        Rule.Holds(Repository.Files
            .Where(file => TextFile().IsMatch(file))
            .Select(file => (File: file, MachinePath().Match(Repository.Text(file)).Value))
            .Where(found => found.Value.Length > 0)
            .Select(found => $"{found.File}: {found.Value}"));

    // The brackets keep the pattern from finding itself.
    [GeneratedRegex(@"(?<![\w.}])/([h]ome|[U]sers|[r]oot|[t]mp|[w]ork)/\w|[A-Z]:\\[U]sers\\")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"\.(cs|csproj|props|targets|sln|json|md|yml|yaml|sql|sh|txt|runsettings|html)$|(^|/)\.(ci/run|editorconfig)$")]
    private static partial Regex TextFile();
}

using System.Text.RegularExpressions;
using Xunit;

namespace UnitTests.HouseStyle;

public sealed partial class SourceTests
{
    private const int LongestFileLines = 400;

    [Fact]
    public void Source_files_are_short() =>
        Assert.Empty(Repository.Sources
            .Select(file => (File: file, Lines: File.ReadLines(Repository.FullPath(file)).Count()))
            .Where(file => file.Lines > LongestFileLines)
            .Select(file => $"{file.File} has {file.Lines} lines: a type is missing"));

    [Fact]
    public void Source_file_holds_one_public_type() =>
        Assert.Empty(Repository.Sources
            .Select(file => (File: file, Types: string.Join(", ", PublicTypes(Repository.Text(file)))))
            .Where(file => file.Types.Contains(',', StringComparison.Ordinal))
            .Select(file => $"{file.File} holds {file.Types}"));

    [Fact]
    public void Source_files_have_no_regions_and_only_unix_line_ends_with_one_at_the_end()
    {
        Assert.NotEmpty(Repository.Sources);
        Assert.All(Repository.Sources, file =>
        {
            var text = Repository.Text(file);
            Assert.DoesNotContain('\r', text);
            Assert.EndsWith("\n", text, StringComparison.Ordinal);
            Assert.DoesNotMatch(Region(), text);
        });
    }

    [Fact]
    public void No_text_names_a_path_of_somebodys_machine() =>
        Assert.Empty(Repository.Files
            .Where(file => TextFile().IsMatch(file))
            .Select(file => (File: file, MachinePath().Match(Repository.Text(file)).Value))
            .Where(found => found.Value.Length > 0)
            .Select(found => $"{found.File}: {found.Value}"));

    [Theory]
    [InlineData("public class A\n{\n    public class Nested;\n}\ninternal class B;\n", "A")]
    [InlineData("public sealed record A(int B);\npublic readonly record struct C;\n", "A, C")]
    [InlineData("public interface IA;\npublic interface IA<T>;\npublic static partial class B\n", "IA, B")]
    [InlineData("public delegate Task Done(int x);\npublic enum E\n", "Done, E")]
    public void Public_types_of_a_file_are_found(string text, string expected) => Assert.Equal(expected, string.Join(", ", PublicTypes(text)));

    // File-scoped namespaces put every top-level type at the start of its line. A generic variant of the same name is the same type here.
    private static IEnumerable<string> PublicTypes(string text) => PublicType().Matches(text).Select(match => match.Groups[1].Value).Distinct();

    [GeneratedRegex(
        @"^public (?:(?:sealed|static|abstract|partial|readonly|ref|unsafe) )*(?:class|record struct|record|struct|interface|enum|delegate [\w<>,\[\]?.]+) (\w+)",
        RegexOptions.Multiline)]
    private static partial Regex PublicType();

    [GeneratedRegex(@"^\s*#region\b", RegexOptions.Multiline)]
    private static partial Regex Region();

    // The brackets keep the pattern from finding itself.
    [GeneratedRegex(@"(?<![\w.}])/([h]ome|[U]sers|[r]oot|[t]mp|[w]ork)/\w|[A-Z]:\\[U]sers\\")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"\.(cs|csproj|props|targets|sln|json|md|yml|yaml|sql|sh|txt|runsettings|html)$|(^|/)\.(ci/run|editorconfig)$")]
    private static partial Regex TextFile();
}

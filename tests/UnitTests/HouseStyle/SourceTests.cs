using System.Text.RegularExpressions;
using Xunit;

namespace UnitTests.HouseStyle;

public sealed partial class SourceTests
{
    private const int LongestTypeLines = 400;

    // Moved as they are; their types are cut when the engine is built anew. The expression parser has still to be cut in two.
    private static readonly string[] Exempt =
        ["src/Workflow/Engine/", "src/Workflow/Stores/", "src/Workflow/Abstractions/Expressions/Syntax/Parser"];

    [Fact]
    public void Types_are_short_over_all_their_files() =>
        Assert.Empty(Repository.Sources
            .Where(file => !Exempt.Any(folder => file.StartsWith(folder, StringComparison.Ordinal)))
            .SelectMany(file => TypeLengths(Repository.Text(file)), (file, type) => (Folder: Path.GetDirectoryName(file), type.Name, type.Lines))
            .GroupBy(type => (type.Folder, type.Name), type => type.Lines)
            .Where(type => type.Sum() > LongestTypeLines)
            .Select(type => $"{type.Key.Folder}/{type.Key.Name} has {type.Sum()} lines: a type is missing"));

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
    [InlineData("public class A\n{\n    public class Nested;\n}\ninternal class B;\n", "A 4, B 1")]
    [InlineData("public sealed record A(int B);\n\n[Flags]\npublic enum C\n{\n    None,\n}\n", "A 1, C 4")]
    [InlineData("public interface IA;\npublic static partial class B<T>\n    where T : class\n{\n}\n", "IA 1, B 4")]
    [InlineData("public delegate Task Done(int x);\npublic sealed record E(\n    int A,\n    int B);\n", "Done 1, E 3")]
    public void Lengths_of_a_files_types_are_found(string text, string expected) =>
        Assert.Equal(expected, string.Join(", ", TypeLengths(text).Select(type => $"{type.Name} {type.Lines}")));

    // File-scoped namespaces put every top-level type at the start of its line, and its end too.
    private static IEnumerable<(string Name, int Lines)> TypeLengths(string text)
    {
        var lines = text.Split('\n');
        for (var start = 0; start < lines.Length; start++)
        {
            if (TypeStart().Match(lines[start]) is { Success: true } type)
            {
                var end = start;
                while (end < lines.Length - 1 && lines[end] != "}" && !(lines[end].EndsWith(';') && !lines[start..end].Contains("{")))
                {
                    end++;
                }

                yield return (type.Groups[1].Value, end - start + 1);
                start = end;
            }
        }
    }

    [GeneratedRegex(
        @"^(?:public |internal |file )?(?:(?:sealed|static|abstract|partial|readonly|ref|unsafe) )*"
        + @"(?:class|record struct|record|struct|interface|enum|delegate [\w<>,\[\]?.]+) (\w+)")]
    private static partial Regex TypeStart();

    [GeneratedRegex(@"^\s*#region\b", RegexOptions.Multiline)]
    private static partial Regex Region();

    // The brackets keep the pattern from finding itself.
    [GeneratedRegex(@"(?<![\w.}])/([h]ome|[U]sers|[r]oot|[t]mp|[w]ork)/\w|[A-Z]:\\[U]sers\\")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"\.(cs|csproj|props|targets|sln|json|md|yml|yaml|sql|sh|txt|runsettings|html)$|(^|/)\.(ci/run|editorconfig)$")]
    private static partial Regex TextFile();
}

namespace UnitTests.HouseStyle;

public sealed partial class SourceTests
{
    private const int WidestLine = 140;
    private const int LongestType = 400;
    private const double MostFilesPerThousandLines = 14.5;
    private const int MostFiles = 1_050;
    private const int LongestFirstPage = 120;

    [Fact]
    public void Line_of_source_is_at_most_140_columns_wide() =>
        Rule.Holds(Repository.Sources.SelectMany(file => File.ReadLines(Repository.FullPath(file))
            .Select((line, index) => (Line: line, line.Length, Place: $"{file}:{index + 1}"))
            .Where(line => line.Length > WidestLine && !Exemptions.MayHoldWideText(file, line.Line))
            .Select(line => $"{line.Place} has {line.Length} columns")));

    [Fact]
    public void Type_has_at_most_400_lines_over_all_its_files() =>
        Rule.Holds(SourceTypes.All
            .GroupBy(type => (Repository.ProjectOf(type.File), type.FullName))
            .Where(parts => parts.Sum(part => part.Lines) > LongestType)
            .Select(parts => $"{parts.First()}: {parts.Key.FullName} has {parts.Sum(part => part.Lines)} lines: a type is missing"));

    [Fact]
    public void Default_build_has_few_and_full_files()
    {
        var projects = Repository.InSolution("Solution.sln");
        var files = Repository.Sources.Where(file => Repository.ProjectOf(file) is { } project && projects.Contains(project)).ToList();
        var perThousandLines = files.Count * 1000.0 / files.Sum(file => File.ReadLines(Repository.FullPath(file)).Count());

        Assert.True(
            files.Count <= MostFiles && perThousandLines <= MostFilesPerThousandLines,
            $"The default build has {files.Count} C# files, {perThousandLines:0.0} per 1,000 lines; at most {MostFiles} and "
            + $"{MostFilesPerThousandLines} are allowed: put what belongs together into one file.");
    }

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
        Rule.Holds(Repository.Files
            .Where(file => TextFile().IsMatch(file))
            .Select(file => (File: file, MachinePath().Match(Repository.Text(file)).Value))
            .Where(found => found.Value.Length > 0)
            .Select(found => $"{found.File}: {found.Value}"));

    [Fact]
    public void No_text_holds_the_marks_of_a_merge() =>
        Rule.Holds(Repository.Files
            .Where(file => TextFile().IsMatch(file) && MergeMark().IsMatch(Repository.Text(file)))
            .Select(file => $"{file}: two versions of its lines are in it"));

    [Fact]
    public void Test_that_a_page_names_exists()
    {
        var named = Repository.Files.Where(file => file.EndsWith(".md", StringComparison.Ordinal))
            .SelectMany(page => NamedTest().Matches(Repository.Text(page))
                .Select(match => (Page: page, Type: match.Groups[1].Value, Test: match.Groups[2].Value)))
            .ToList();
        var sources = Repository.Sources.Where(file => file.StartsWith("tests/", StringComparison.Ordinal))
            .Select(Repository.Text).ToList();

        Assert.True(named.Count(name => name.Page == "src/Workflow/Engine/README.md") >= 12, "The table of complaints is gone.");
        Rule.Holds(named
            .Where(name => !sources.Any(text =>
                Regex.IsMatch(text, $@"class {name.Type}\b") && text.Contains($" {name.Test}(", StringComparison.Ordinal)))
            .Select(name => $"{name.Page}: there is no test {name.Type}.{name.Test}"));
    }

    [Fact]
    public void First_page_is_short() =>
        Assert.InRange(File.ReadLines(Repository.FullPath("README.md")).Count(), 1, LongestFirstPage);

    [Fact]
    public void Link_of_a_page_leads_to_a_file_and_to_a_heading_in_it()
    {
        var pages = Repository.Files.Where(file => file.EndsWith(".md", StringComparison.Ordinal))
            .ToDictionary(Repository.FullPath, page => CodeBlock().Replace(Repository.Text(page), ""));
        var headings = pages.ToDictionary(
            page => page.Key, page => Heading().Matches(page.Value).Select(match => Anchor(match.Groups[1].Value)).ToHashSet());
        var links = pages.SelectMany(page => Link().Matches(page.Value).Select(match => (
            Page: page.Key, Target: match.Groups[1].Value, File: FileOf(page.Key, match.Groups["file"].Value),
            Heading: match.Groups["heading"].Value))).ToList();

        Assert.True(links.Count > 100, $"{links.Count} links are looked at.");
        Rule.Holds(links
            .Where(link => !Path.Exists(link.File)
                || (link.Heading.Length > 0 && headings.TryGetValue(link.File, out var known) && !known.Contains(link.Heading)))
            .Select(link => $"{Path.GetRelativePath(Repository.Root, link.Page)}: {link.Target} leads nowhere"));

        static string FileOf(string page, string target) =>
            target.Length == 0 ? page : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(page)!, target));
    }

    [Theory]
    [InlineData("public class A\n{\n    public class Nested;\n}\ninternal class B;\n", "A 4, B 1")]
    [InlineData("public sealed record A(int B);\n\n[Flags]\npublic enum C\n{\n    None,\n}\n", "A 1, C 4")]
    [InlineData("public interface IA;\npublic static partial class B<T>\n    where T : class\n{\n}\n", "IA 1, B`1 4")]
    [InlineData("public delegate Task Done(int x);\npublic sealed record E(\n    int A,\n    int B);\n", "Done 1, E 3")]
    public void Lengths_of_a_files_types_are_found(string text, string expected) =>
        Assert.Equal(expected, string.Join(", ", SourceTypes.Of("f", text).Select(type => $"{type.Name} {type.Lines}")));

    [Fact]
    public void Type_of_a_file_is_found_with_namespace_and_line() => Assert.Equal(
        [new("N.M", "A", "f", 3, 1), new("N.M", "I`2", "f", 5, 3)],
        SourceTypes.Of("f", "namespace N.M;\n\npublic record A;\n\ninternal interface I<T, U>\n{\n}\n"));

    /// <summary>As hosts of pages make it from a heading: small letters, digits, underscores and dashes, the latter for spaces.</summary>
    private static string Anchor(string heading) =>
        NotInAnchor().Replace(LinkText().Replace(heading, "$1").Trim().ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex("^```.*?^```", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex("^#+ (.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\]\(((?!\w+:)(?<file>[^)#\s]*)(#(?<heading>[^)\s]+))?)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"\[([^\]]*)\]\([^)]*\)")]
    private static partial Regex LinkText();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NotInAnchor();

    [GeneratedRegex("^(<{7}|>{7}) ", RegexOptions.Multiline)]
    private static partial Regex MergeMark();

    [GeneratedRegex(@"`([A-Z]\w+)\.([A-Z][a-z]*_\w+)`")]
    private static partial Regex NamedTest();

    [GeneratedRegex(@"^\s*#region\b", RegexOptions.Multiline)]
    private static partial Regex Region();

    // The brackets keep the pattern from finding itself.
    [GeneratedRegex(@"(?<![\w.}])/([h]ome|[U]sers|[r]oot|[t]mp|[w]ork)/\w|[A-Z]:\\[U]sers\\")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"\.(cs|csproj|props|targets|sln|json|md|yml|yaml|sql|sh|txt|runsettings|html)$|(^|/)\.(ci/run|editorconfig)$")]
    private static partial Regex TextFile();
}

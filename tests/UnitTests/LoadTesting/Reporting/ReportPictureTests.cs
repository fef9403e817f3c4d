using System.Security.Cryptography;
using System.Xml.Linq;

namespace UnitTests.LoadTesting.Reporting;

/// <summary>
/// The picture of the report in the README is of a run whose database was paused in the middle of a load, beside a run
/// without the pause. It shows the tiles, the table, and the strips of that scenario with the stall.
/// <c>.ci/pictures</c> makes it anew; this fails once the page has other sections or columns, or looks otherwise where
/// the picture is.
/// </summary>
public sealed class ReportPictureTests
{
    /// <summary>Sections of which the picture shows something.</summary>
    private const int Shown = 1;

    private const string UpdateVariable = "UPDATE_PICTURES";
    private const string Opened = "postgres-signal-roundtrip-soak";

    [Fact]
    public async Task Picture_has_the_sections_and_columns_of_the_report()
    {
        var page = HtmlReport.Render(await ReadAsync("paused-database"), [await ReadAsync("before")]);
        Assert.Contains("class=\"stalled\"", page, StringComparison.Ordinal);
        var outline = string.Join('\n', Outline(page)) + "\n";
        var path = Repository.FullPath(".github/report.outline");
        if (Environment.GetEnvironmentVariable(UpdateVariable) == "1")
        {
            Directory.CreateDirectory(Repository.FullPath("TestResults/reports"));
            await File.WriteAllTextAsync(Repository.FullPath("TestResults/reports/picture.html"), Open(page), Cancel);
            await File.WriteAllTextAsync(path, outline, Cancel);
        }

        var pictured = File.Exists(path) ? await File.ReadAllTextAsync(path, Cancel) : "(no file)";

        Assert.True(
            pictured == outline,
            "The picture of the report is not what the report looks like any more. Make it anew: .ci/pictures");
    }

    private static Task<RunResult> ReadAsync(string run) =>
        ResultJson.ReadFileAsync(Repository.FullPath($"fixtures/reports/{run}.json"), Cancel);

    /// <summary>The page as it is once the scenario was clicked on; a browser that takes a picture clicks nowhere.</summary>
    private static string Open(string page) =>
        page.Replace("</style>", $"#{Opened} {{ display: table-row; }}</style>", StringComparison.Ordinal);

    private static IEnumerable<string> Outline(string page)
    {
        var root = ReportPage.Parse(page);
        var statements = root.Descendants("header").SelectMany(header => header.Descendants("dt"))
            .Select(statement => statement.Value);
        return statements.Concat(root.Descendants("section").Select(section => string.Join(
            " | ", Columns(section).Prepend(section.Element("h2")!.Value)))).Append($"Form: {Form(root)}");

        // The look besides words and figures: the style and the kinds of elements in the pictured sections.
        static string Form(XElement page)
        {
            var elements = page.Descendants("header").Concat(page.Descendants("section").Take(Shown))
                .SelectMany(part => part.Descendants())
                .Select(element => $"{element.Parent!.Name}>{element.Name}.{(string?)element.Attribute("class")}")
                .Distinct();
            var form = string.Join('\n', elements) + page.Descendants("style").Single().Value;
            return Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(form)))[..16];
        }

        static IEnumerable<string> Columns(XElement section) =>
            section.Descendants("thead").Take(1).SelectMany(head => head.Descendants("th"))
                .Select(column => column.Value);
    }
}

using System.Xml;
using System.Xml.Linq;

namespace UnitTests.LoadTesting.Reporting;

/// <summary>A report as the tree of its elements.</summary>
internal static partial class ReportPage
{
    /// <summary>What opens below the row of each scenario or search, in the order of the table.</summary>
    public static List<(string Name, XElement Scenario)> Details(string page) =>
    [
        .. Parse(page).Descendants("tr").Where(row => (string?)row.Attribute("class") == "inside")
            .Select(inside => (inside.Descendants("h3").First().Value, inside)),
    ];

    public static XElement Detail(RunResult run, string name) =>
        Details(HtmlReport.Render(run)).First(detail => detail.Name == name).Scenario;

    /// <summary>The row of the table of scenarios: the name with its reason, then the other cells.</summary>
    public static List<string> Row(RunResult run, string name) =>
    [
        .. Section(run, "scenarios").Descendants("tr")
            .First(row => row.Element("th")?.Element("a")?.Value == name)
            .Elements().Select(cell => cell.Value.Trim()),
    ];

    /// <summary>The table whose caption begins so.</summary>
    public static XElement Table(XElement part, string caption) => part.Descendants("table").First(
        table => table.Element("caption")!.Value.StartsWith(caption, StringComparison.Ordinal));

    public static string Header(RunResult run) => Parse(HtmlReport.Render(run)).Descendants("header").Single().Value;

    public static XElement Section(RunResult run, string id) =>
        Parse(HtmlReport.Render(run)).Descendants("section").Single(section => (string?)section.Attribute("id") == id);

    /// <summary>Reads the page as XML after closing the elements that HTML leaves open. A script is text.</summary>
    public static XElement Parse(string page)
    {
        var settings = new XmlReaderSettings { DtdProcessing = DtdProcessing.Ignore };
        using var reader = XmlReader.Create(
            new StringReader(Script().Replace(
                MetaElement().Replace(page.Replace("&#160;", " ", StringComparison.Ordinal), "<meta$1/>")
                    .Replace("<!doctype html>", "", StringComparison.Ordinal),
                found => $"<script><![CDATA[{found.Groups[1].Value}]]></script>")),
            settings);
        return XElement.Load(reader, System.Xml.Linq.LoadOptions.PreserveWhitespace);
    }

    [GeneratedRegex("<meta([^>]*)>")]
    private static partial Regex MetaElement();

    [GeneratedRegex("<script>(.*?)</script>", RegexOptions.Singleline)]
    private static partial Regex Script();
}

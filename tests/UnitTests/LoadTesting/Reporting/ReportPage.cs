using System.Xml;
using System.Xml.Linq;

namespace UnitTests.LoadTesting.Reporting;

/// <summary>A report as the tree of its elements.</summary>
internal static partial class ReportPage
{
    public static List<(string Name, XElement Scenario)> Details(string page) =>
    [
        .. Parse(page).Descendants("details").Where(details => (string?)details.Attribute("class") == "scenario")
            .Select(details => (details.Descendants("h3").First().Value, details)),
    ];

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

using System.Text.RegularExpressions;

namespace IntegrationTests.WebService;

/// <summary>Reads markup as strictly as no browser does.</summary>
internal static partial class Markup
{
    private static readonly string[] Void = ["meta", "link", "input", "img", "br", "wbr"];

    /// <summary>Addresses of links and of what a page loads.</summary>
    public static IEnumerable<string> Links(string page) =>
        Address().Matches(page).Select(match => WebUtility.HtmlDecode(match.Groups[1].Value))
            .Where(link => !link.StartsWith('#'));

    /// <summary>A link without what is different in each of its kind.</summary>
    public static string Kind(string link) => Different().Replace(link, "#");

    /// <summary>Markup that is malformed, has a duplicate id or lacks an accessible name.</summary>
    public static IEnumerable<string> Faults(string page)
    {
        if (!page.StartsWith("<!DOCTYPE html>\n<html lang=\"en\">", StringComparison.Ordinal))
        {
            yield return "it does not begin as a page";
        }

        var open = new Stack<string>();
        foreach (var tag in Tag().Matches(page["<!DOCTYPE html>".Length..]).Select(match => match.Value))
        {
            if (Element().Match(tag) is not { Success: true } element)
            {
                yield return $"'{tag}' is no tag";
            }
            else if (element.Groups["end"].Length > 0)
            {
                if (open.Count == 0 || open.Pop() != element.Groups["name"].Value)
                {
                    yield return $"'{tag}' ends another element";
                }
            }
            else if (!Void.Contains(element.Groups["name"].Value))
            {
                open.Push(element.Groups["name"].Value);
            }
        }

        if (open.Count > 0)
        {
            yield return $"{open.Peek()} does not end";
        }

        var ids = Id().Matches(page).Select(match => match.Groups[1].Value).ToList();
        foreach (var twice in ids.GroupBy(id => id).Where(group => group.Count() > 1))
        {
            yield return $"two elements have the id {twice.Key}";
        }

        foreach (var label in For().Matches(page).Select(match => match.Groups[1].Value).Except(ids))
        {
            yield return $"there is no field {label} for its label";
        }

        foreach (var unnamed in Unnamed().Matches(page).Select(match => match.Value))
        {
            yield return $"'{unnamed}' has no scope, no alternative text, an inline style or an inline script";
        }

        if (Heading().Count(page) != 1)
        {
            yield return "it has not one heading";
        }
    }

    [GeneratedRegex("(?:href|src|data-url)=\"([^\"]*)\"")]
    private static partial Regex Address();

    [GeneratedRegex("<[^>]*>?")]
    private static partial Regex Tag();

    [GeneratedRegex("^<(?<end>/?)(?<name>[a-z0-9]+)(?:\\s+[a-z-]+(?:=\"[^\"<>]*\")?)*>$")]
    private static partial Regex Element();

    [GeneratedRegex(" id=\"([^\"]*)\"")]
    private static partial Regex Id();

    [GeneratedRegex(" for=\"([^\"]*)\"")]
    private static partial Regex For();

    [GeneratedRegex(
        "<th>|<img(?![^>]*\\salt=)[^>]*>|<[^>]* (?:style|on[a-z]+)=\"[^>]*>|<script(?! "
            + "src=\"/ui/(?:view|scalar|api)\\.js\" defer>)[^>]*>"
        + "|<input(?![^>]*\\s(?:id|type=\"hidden\"))[^>]*>")]
    private static partial Regex Unnamed();

    [GeneratedRegex("[0-9a-f]{8}-[0-9a-f-]{27}|(?<=definitions/|name=|definition=)[^/?&]+|[0-9]+")]
    private static partial Regex Different();

    [GeneratedRegex("<h1>")]
    private static partial Regex Heading();
}

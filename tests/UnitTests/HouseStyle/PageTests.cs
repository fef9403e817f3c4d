namespace UnitTests.HouseStyle;

/// <summary>Links of the pages.</summary>
public sealed partial class PageTests
{
    [Fact]
    public void Link_leads_to_a_file_and_a_heading()
    {
        var pages = Repository.Files.Where(file => file.EndsWith(".md", StringComparison.Ordinal))
            .ToDictionary(Repository.FullPath, page => CodeBlock().Replace(Repository.Text(page), ""));
        var headings = pages.ToDictionary(
            page => page.Key,
            page => Heading().Matches(page.Value).Select(match => Anchor(match.Groups[1].Value)).ToHashSet());
        var links = pages.SelectMany(page => Link().Matches(page.Value).Select(match => (
            Page: page.Key, Target: match.Groups[1].Value, File: FileOf(page.Key, match.Groups["file"].Value),
            Heading: match.Groups["heading"].Value))).ToList();

        Assert.True(links.Count > 100, $"{links.Count} links are looked at.");
        Rule.Holds(links
            .Where(link => !Path.Exists(link.File)
                || (link.Heading.Length > 0 && headings.TryGetValue(link.File, out var known)
                    && !known.Contains(link.Heading)))
            .Select(link => $"{Path.GetRelativePath(Repository.Root, link.Page)}: {link.Target} leads nowhere"));

        static string FileOf(string page, string target) =>
            target.Length == 0 ? page : Path.GetFullPath(Path.Combine(Path.GetDirectoryName(page)!, target));
    }

    /// <summary>
    /// With <c>-f</c> and <c>-o</c> curl writes no file for an error. Shells do not expand <c>'$NAME'</c>.
    /// </summary>
    [Fact]
    public void Curl_in_a_page_overwrites_no_tracked_file_with_an_error()
    {
        var commands = Repository.Files.Where(file => file.EndsWith(".md", StringComparison.Ordinal)).SelectMany(page =>
            Repository.Text(page).Split('\n')
                .Where(line => line.TrimStart().StartsWith("curl ", StringComparison.Ordinal))
                .Select(line => (Page: page, Line: line.Split(" #")[0]))).ToList();
        var tracked = Repository.Files.Select(file => file.Replace('\\', '/')).ToHashSet(StringComparer.Ordinal);

        Assert.True(commands.Count > 30, $"{commands.Count} commands are looked at.");
        Rule.Holds(commands.Where(one => !IsGood(one.Line)).Select(one => $"{one.Page}: {one.Line}"));

        bool IsGood(string command)
        {
            var output = OutputOption().Match(command);
            return !command.Contains(" > ", StringComparison.Ordinal) && !QuotedVariable().IsMatch(command)
                && (!output.Success
                    || (FailOption().IsMatch(command) && !tracked.Contains(output.Groups["file"].Value)));
        }
    }

    [GeneratedRegex(@" -o (?<file>\S+)")]
    private static partial Regex OutputOption();

    [GeneratedRegex(@" (-[a-zA-Z]*f[a-zA-Z]*|--fail) ")]
    private static partial Regex FailOption();

    [GeneratedRegex(@"'https?:[^']*\$[^']*'")]
    private static partial Regex QuotedVariable();

    /// <summary>The anchor of a heading: lower-case letters, digits, underscores, and dashes for spaces.</summary>
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
}

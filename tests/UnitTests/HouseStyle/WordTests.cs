namespace UnitTests.HouseStyle;

/// <summary>Words that only we would understand do not come back: a stranger of the field reads code, SQL and pages.</summary>
public sealed partial class WordTests
{
    /// <summary>A word in small letters, found in identifiers too, or a phrase; and what to say.</summary>
    private static readonly (string Word, string Instead)[] Words =
    [
        ("told", "published, reported, logged or notified"), ("tells", "reports, says"),
        ("hint", "notification"), ("hints", "notifications"),
        ("letter book", "dead-letter index"), ("dead letter desk", "dead-letter index"),
        ("put aside", "dead-letter"), ("puts aside", "dead-letters"),
        ("rung", "load step"), ("rungs", "load steps"),
        ("likeness", "comparability"), ("suspicion judge", "regression detector"),
        ("surplus", "excess"),
        ("can be had", "is available"), ("to be had", "available"),
        ("of elsewhere", "external"), ("the sooner", "earlier"),
    ];

    /// <summary>Names that others rely on, and hints to a query's planner, which are the field's word.</summary>
    private static readonly string[] Fixed =
    [
        "WORKFLOW_PERF_RUNG", "\"rungs\"", "told_utc", "WAKE_HINTS", "`cardinality` hints", "The hints say that lists are short",
    ];

    private static readonly (string Word, string Instead, Regex Pattern)[] Patterns =
        [.. Words.Select(word => (word.Word, word.Instead, new Regex(Pattern(word.Word), RegexOptions.CultureInvariant)))];

    [Fact]
    public void Private_words_are_in_no_name_and_no_sentence() =>
        Rule.Holds(Repository.Files.Where(file => Checked().IsMatch(file) && !Exemptions.MayHaveOtherWords(file))
            .SelectMany(file => Find(Repository.Text(file)).Select(found => $"{file}:{found}")));

    [Theory]
    [InlineData("public DateTimeOffset ToldUtc;", "1: 'Told': say published, reported, logged or notified")]
    [InlineData("_told = s_told;", "1: 'told': say published, reported, logged or notified",
        "1: 'told': say published, reported, logged or notified")]
    [InlineData("a\nRungJudge closedRungs", "2: 'Rung': say load step", "2: 'Rungs': say load steps")]
    [InlineData("What can be\n/// had here.", "1: 'can be had': say is available")]
    [InlineData("new DeadLetterDesk()", "1: 'DeadLetterDesk': say dead-letter index")]
    [InlineData("WORKFLOW_PERF_RUNG=3; untold wrung strungout toldo; [JsonPropertyName(\"rungs\")]")]
    public void Words_are_found_in_names_and_over_line_ends(string text, params string[] expected) => Assert.Equal(expected, Find(text));

    private static IEnumerable<string> Find(string text)
    {
        // The fixed names keep their length, so that line numbers stay.
        var rest = Fixed.Aggregate(text, (changed, name) => changed.Replace(name, new string('-', name.Length), StringComparison.Ordinal));
        return Patterns
            .SelectMany(word =>
                word.Pattern.Matches(rest).Select(match => (match.Index, Words: LineEnd().Replace(match.Value, " "), word.Instead)))
            .OrderBy(found => found.Index)
            .Select(found => $"{rest.AsSpan(0, found.Index).Count('\n') + 1}: '{found.Words}': say {found.Instead}");
    }

    // told, Told and TOLD as words, and Told after a small letter; the words of a phrase may be parts of one name, or stand on two lines.
    private static string Pattern(string phrase)
    {
        var words = phrase.Split(' ');
        var gap = @"(?:[ _-]?|\s*\n\s*(?:///?|--)?\s*)";
        var start = words[0];
        var capital = $"{char.ToUpperInvariant(start[0])}{start[1..]}";
        var rest = string.Concat(words.Skip(1).Select(word => $"{gap}(?i:{word})"));
        return $"(?:(?<![A-Za-z])(?i:{start})|(?<=[a-z0-9]){capital}){rest}(?![a-z])";
    }

    [GeneratedRegex(@"\s*\n\s*(///?|--)?\s*")]
    private static partial Regex LineEnd();

    [GeneratedRegex(@"\.(cs|sql|md)$")]
    private static partial Regex Checked();
}

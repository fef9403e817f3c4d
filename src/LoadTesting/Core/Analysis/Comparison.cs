namespace LoadTesting.Core.Analysis;

/// <summary>
/// Runs side by side: a column for each profile of each run, a row for each scenario. Runs that have a profile in
/// common are compared profile by profile; runs that have none, and the profiles of a single run, by the scenario's
/// name without its profile. Results that <see cref="Comparability"/> takes for unlike get no ratio. Those that are
/// alike get one, but it is one run against one run: a reason to repeat and interleave, not a proof.
/// </summary>
public sealed record Comparison
{
    private const int MaxColumns = 26;

    private Comparison(IReadOnlyList<ComparisonSection> sections, IReadOnlyList<ComparisonColumn> unpaired)
    {
        Sections = sections;
        Unpaired = unpaired;
    }

    /// <summary>
    /// What is set side by side: a section for each profile that runs have in common, else a single one.
    /// </summary>
    public IReadOnlyList<ComparisonSection> Sections { get; }

    /// <summary>Profiles of one run that no other run has, where others are in common; without a letter.</summary>
    public IReadOnlyList<ComparisonColumn> Unpaired { get; }

    /// <summary>The columns of all sections.</summary>
    public IReadOnlyList<ComparisonColumn> Columns => [.. Sections.SelectMany(section => section.Columns)];

    /// <summary>The rows of all sections.</summary>
    public IReadOnlyList<ComparisonRow> Rows => [.. Sections.SelectMany(section => section.Rows)];

    /// <summary>Searches for the capacity, matched as scenarios are.</summary>
    public IReadOnlyList<CapacityRow> Capacities => [.. Sections.SelectMany(section => section.Capacities)];

    /// <summary>Sets runs side by side.</summary>
    /// <param name="sources">The runs; the others are compared with the first.</param>
    /// <param name="profiles">Profiles to take; every one when empty.</param>
    /// <exception cref="FormatException">
    /// A run holds no scenario of the profiles, or there are fewer than 2 or more than 26 columns; the message says
    /// what would do.
    /// </exception>
    public static Comparison Of(IReadOnlyList<ComparisonSource> sources, IReadOnlyCollection<string>? profiles = null)
    {
        var columns = sources.SelectMany((source, run) =>
            ProfilesOf(source, profiles ?? []).Select(profile => (Run: run, Column: new ComparisonColumn("", profile, source)))).ToList();
        RequireColumns([.. columns.Select(column => column.Column)]);

        var byProfile = columns.GroupBy(column => column.Column.Profile).Select(group => group.ToList()).ToList();
        var common = byProfile.Where(group => group.Count > 1).ToList();
        if (common.Count == 0)
        {
            return new Comparison([ComparisonSection.Of(Letter(columns.Select(column => column.Column), 0))], []);
        }

        // A run that shares no profile with another run is compared with the first by the names of its scenarios.
        var paired = common.SelectMany(group => group).Select(column => column.Run).ToHashSet();
        common[0].AddRange(columns.Where(column => !paired.Contains(column.Run)));
        var sections = new List<ComparisonSection>();
        foreach (var group in common)
        {
            sections.Add(ComparisonSection.Of(
                Letter(group.Select(column => column.Column), sections.Sum(section => section.Columns.Count))));
        }

        return new Comparison(sections,
            [.. byProfile.Where(group => group.Count == 1 && paired.Contains(group[0].Run)).Select(group => group[0].Column)]);
    }

    private static IEnumerable<string> ProfilesOf(ComparisonSource source, IReadOnlyCollection<string> wanted)
    {
        var there = Measured.Of(source.Run).Select(measured => measured.Scenario.Profile).Distinct().Order(StringComparer.Ordinal).ToList();
        if (there.Count == 0)
        {
            throw new FormatException($"{source.Label}: the run holds no finished scenario to compare. Run it to its end.");
        }

        var taken = there.Where(profile => wanted.Count == 0 || wanted.Contains(profile)).ToList();
        return taken.Count > 0 ? taken : throw new FormatException(
            $"{source.Label}: none of the profiles asked for ({string.Join(", ", wanted)}) is in the run, " +
            $"which has {string.Join(", ", there)}.");
    }

    private static void RequireColumns(IReadOnlyList<ComparisonColumn> columns)
    {
        if (columns.Count < 2)
        {
            throw new FormatException(
                $"{columns[0].Source.Label}: one profile of one run has nothing beside it. Name a second run.");
        }

        if (columns.Count > MaxColumns)
        {
            throw new FormatException(
                $"{columns.Count} profiles side by side are more than {MaxColumns}. Name fewer runs, or choose profiles.");
        }
    }

    private static IReadOnlyList<ComparisonColumn> Letter(IEnumerable<ComparisonColumn> columns, int before) =>
        [.. columns.Select((column, index) => column with { Letter = ((char)('A' + before + index)).ToString() })];
}

/// <summary>A search for the capacity in every column.</summary>
/// <param name="Name">Its name without its profile prefix.</param>
/// <param name="Hosting">Where the system ran.</param>
/// <param name="Cells">One for each column, in their order.</param>
public sealed record CapacityRow(string Name, HostingKind Hosting, IReadOnlyList<CapacityCell> Cells)
{
    internal static IReadOnlyList<CapacityRow> Of(IReadOnlyList<ComparisonColumn> columns)
    {
        var found = columns.Select(column => Measured.Searches(column.Source.Run)
            .Where(search => search.Scenario.Profile == column.Profile).ToLookup(KeyOf)).ToList();
        return
        [
            .. found.SelectMany(searches => searches.Select(search => search.Key)).Distinct().Select(key =>
            {
                var first = found[0][key].LastOrDefault();
                return new CapacityRow(key.Name, key.Hosting,
                    [.. columns.Select((column, index) => CapacityCell.Of(column, first, found[index][key].LastOrDefault(), index == 0))]);
            }),
        ];
    }

    private static (string Name, HostingKind Hosting) KeyOf(Measured search) =>
        (search.Capacity!.NameWithoutProfile(), search.Scenario.Hosting);
}

/// <summary>A scenario in every column.</summary>
/// <param name="Name">The scenario's name without its profile prefix.</param>
/// <param name="Hosting">Where the system ran.</param>
/// <param name="Cells">One for each column, in their order.</param>
public sealed record ComparisonRow(string Name, HostingKind Hosting, IReadOnlyList<ComparisonCell> Cells);

/// <param name="Scenario">The result; null when the run does not hold the scenario.</param>
public sealed record ComparisonCell(ComparisonColumn Column, ScenarioResult? Scenario)
{
    /// <summary>How often the run holds the scenario; the newest is <see cref="Scenario"/>.</summary>
    public int Repetitions { get; init; }

    /// <summary>The result of comparing it with the first column.</summary>
    public ComparisonFinding Finding { get; init; } = ComparisonFinding.Missing;

    /// <summary>
    /// Differences of this row, without those of all rows in <see cref="ComparisonColumn.Differences"/>.
    /// </summary>
    public IReadOnlyList<ComparisonDifference> Differences { get; init; } = [];

    /// <summary>Differences of this row and of all rows that forbid a verdict; empty if there are none.</summary>
    public IEnumerable<ComparisonDifference> Unlike =>
        Column.Differences.Concat(Differences).Where(difference => difference.ForbidsVerdict);

    /// <summary>Throughput beside that of the first column; null unless the two are alike.</summary>
    public ComparisonRatio? Throughput { get; init; }

    /// <summary>
    /// Median latency beside that of the first column, the mean where a median is missing; null unless the two are
    /// alike.
    /// </summary>
    public ComparisonRatio? Median { get; init; }

    /// <summary>
    /// 95th percentile beside that of the first column; null unless the two are alike and both have one.
    /// </summary>
    public ComparisonRatio? P95 { get; init; }
}

/// <summary>A figure over that of the first column.</summary>
/// <param name="Value">The ratio, 0 or more.</param>
/// <param name="Margin">Ratio up to which both count as equal, either way; more than 1.</param>
public sealed record ComparisonRatio(double Value, double Margin);

/// <summary>The result of comparing a result with that of the first column.</summary>
public enum ComparisonFinding
{
    /// <summary>The result that others are compared with.</summary>
    First,

    /// <summary>One of the two is missing.</summary>
    Missing,

    /// <summary>The two are unlike; no ratio is given.</summary>
    NotRanked,

    /// <summary>
    /// Alike, but less than <see cref="ComparisonVerdict.MinimumOperations"/> or
    /// <see cref="ComparisonVerdict.MinimumSeconds"/>: ratios without a word.
    /// </summary>
    TooShort,

    /// <summary>No difference is larger than the margins.</summary>
    Within,

    /// <summary>Better by more than the margins, and nothing is worse.</summary>
    Faster,

    /// <summary>Worse by more than the margins, and nothing is better.</summary>
    Slower,

    /// <summary>Throughput, median and 95th percentile disagree: at least one is better, at least one worse.</summary>
    Mixed,
}

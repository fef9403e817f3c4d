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
            ProfilesOf(source, profiles ?? [])
                .Select(profile => (Run: run, Column: new ComparisonColumn("", profile, source)))).ToList();
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
            [.. byProfile.Where(group => group.Count == 1 && paired.Contains(group[0].Run))
                .Select(group => group[0].Column)]);
    }

    private static IEnumerable<string> ProfilesOf(ComparisonSource source, IReadOnlyCollection<string> wanted)
    {
        var there = Measured.Of(source.Run).Select(measured => measured.Scenario.Profile).Distinct()
            .Order(StringComparer.Ordinal).ToList();
        if (there.Count == 0)
        {
            throw new FormatException($"{source.Label}: the run holds no finished scenario to "
                + "compare. Run it to its end.");
        }

        var taken = there.Where(profile => wanted.Count == 0 || wanted.Contains(profile)).ToList();
        return taken.Count > 0 ? taken : throw new FormatException(
            $"{source.Label}: none of the requested profiles ({string.Join(", ", wanted)}) is in the run, " +
            $"which has {string.Join(", ", there)}.");
    }

    private static void RequireColumns(IReadOnlyList<ComparisonColumn> columns)
    {
        if (columns.Count < 2)
        {
            throw new FormatException(
                $"{columns[0].Source.Label}: one profile of one run cannot be compared. Name a second run.");
        }

        if (columns.Count > MaxColumns)
        {
            throw new FormatException(
                $"{columns.Count} profiles side by side are more than {MaxColumns}. "
                    + "Name fewer runs, or choose profiles.");
        }
    }

    private static IReadOnlyList<ComparisonColumn> Letter(IEnumerable<ComparisonColumn> columns, int before) =>
        [.. columns.Select((column, index) => column with { Letter = ((char)('A' + before + index)).ToString() })];
}

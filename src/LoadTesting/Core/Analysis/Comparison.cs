namespace LoadTesting.Core.Analysis;

/// <summary>
/// Runs side by side: a column for each profile of each run, a row for each scenario by its name without the profile and its hosting.
/// Results that differ in durability, content, machine or load get no ratio. Those that are alike get one, but it is one run
/// against one run: a reason to repeat and interleave, not a proof.
/// </summary>
public sealed record Comparison
{
    /// <summary>
    /// Ratio up to which two figures count as equal, either way. The smallest of the run-to-run differences that are worth a word on a
    /// machine that is not isolated.
    /// </summary>
    public const double Margin = 1.10;

    /// <summary>Operations that each side must have for a word; below, only ratios are given.</summary>
    public const long MinimumOperations = 100;

    private const int MostColumns = 26;

    private Comparison(IReadOnlyList<ComparisonColumn> columns, IReadOnlyList<ComparisonRow> rows, IReadOnlyList<CapacityRow> capacities)
    {
        Columns = columns;
        Rows = rows;
        Capacities = capacities;
    }

    /// <summary>The columns in the order of the sources, those of one source by profile; the others are held against the first.</summary>
    public IReadOnlyList<ComparisonColumn> Columns { get; }

    /// <summary>The rows: those of the first column in its order, then the others by name.</summary>
    public IReadOnlyList<ComparisonRow> Rows { get; }

    /// <summary>Searches for the capacity, matched as scenarios are.</summary>
    public IReadOnlyList<CapacityRow> Capacities { get; }

    /// <summary>Sets runs side by side.</summary>
    /// <param name="sources">The runs, what the others are held against first.</param>
    /// <param name="profiles">Profiles to take; every one when empty.</param>
    /// <exception cref="FormatException">
    /// A run holds no scenario of the profiles, or there are fewer than 2 or more than 26 columns; the message says what would do.
    /// </exception>
    public static Comparison Of(IReadOnlyList<ComparisonSource> sources, IReadOnlyCollection<string>? profiles = null)
    {
        ArgumentNullException.ThrowIfNull(sources);
        var columns = Letter([.. sources.SelectMany(source => ProfilesOf(source, profiles ?? []).Select(profile => (source, profile)))]);
        var keyOf = KeyFor(columns);
        var rows = RowKeys(columns, keyOf).Select(key => Row(key, columns, keyOf)).ToList();
        var reported = columns.Select(column => column with { Differences = ColumnDifferences(column, columns[0], rows) }).ToList();
        return new Comparison(reported, [.. rows.Select(row => Judge(row, reported))], CapacityRow.Of(reported));
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

    private static List<ComparisonColumn> Letter(IReadOnlyList<(ComparisonSource Source, string Profile)> columns) => columns.Count switch
    {
        < 2 => throw new FormatException(
            $"{columns[0].Source.Label}: one profile of one run has nothing beside it. Name a second run."),
        > MostColumns => throw new FormatException(
            $"{columns.Count} profiles side by side are more than {MostColumns}. Name fewer runs, or choose profiles."),
        _ => [.. columns.Select((column, index) => new ComparisonColumn(((char)('A' + index)).ToString(), column.Profile, column.Source))],
    };

    /// <summary>
    /// Runs over different transports share their rows, and are marked as unlike; where a run has both, each transport has a row of its
    /// own.
    /// </summary>
    private static Func<ScenarioResult, (string Name, HostingKind Hosting)> KeyFor(IReadOnlyList<ComparisonColumn> columns)
    {
        var mixed = columns.Any(column => Results(column).GroupBy(result => (result.NameWithoutTransport(), result.Hosting))
            .Any(group => group.Select(result => result.Transport).Distinct().Count() > 1));
        return mixed
            ? scenario => (scenario.NameWithoutProfile(), scenario.Hosting)
            : scenario => (scenario.NameWithoutTransport(), scenario.Hosting);
    }

    private static List<(string Name, HostingKind Hosting)> RowKeys(
        IReadOnlyList<ComparisonColumn> columns, Func<ScenarioResult, (string Name, HostingKind Hosting)> keyOf)
    {
        var first = Results(columns[0]).Select(keyOf).Distinct().ToList();
        var others = columns.Skip(1).SelectMany(Results).Select(keyOf).Distinct().Except(first)
            .OrderBy(key => key.Name, StringComparer.Ordinal).ThenBy(key => key.Hosting);
        return [.. first, .. others];
    }

    private static IEnumerable<ScenarioResult> Results(ComparisonColumn column) =>
        column.Source.Run.Scenarios.Where(scenario => scenario.Profile == column.Profile);

    private static ComparisonRow Row(
        (string Name, HostingKind Hosting) key, IReadOnlyList<ComparisonColumn> columns,
        Func<ScenarioResult, (string Name, HostingKind Hosting)> keyOf) =>
        new(key.Name, key.Hosting, [.. columns.Select(column => Cell(column, [.. Results(column).Where(result => keyOf(result) == key)]))]);

    private static ComparisonCell Cell(ComparisonColumn column, IReadOnlyList<ScenarioResult> results) =>
        new(column, results.Count > 0 ? results[^1] : null) { Repetitions = results.Count };

    private static IReadOnlyList<ComparisonDifference> ColumnDifferences(
        ComparisonColumn column, ComparisonColumn first, IReadOnlyList<ComparisonRow> rows)
    {
        if (column.Letter == first.Letter)
        {
            return [];
        }

        var matched = rows.Select(row => RowDifferences(row, column)).OfType<IReadOnlyList<ComparisonDifference>>().ToList();
        var everywhere = matched.Count < 2 ? [] : matched.SelectMany(differences => differences).GroupBy(difference => difference.What)
            .Where(group => group.Count() == matched.Count && !ComparisonRules.AlwaysByRow.Contains(group.Key))
            .Select(group => Together([.. group]));
        return [.. ComparisonRules.OfColumns(first, column), .. everywhere];
    }

    /// <summary>Null when one of the two is missing.</summary>
    private static IReadOnlyList<ComparisonDifference>? RowDifferences(ComparisonRow row, ComparisonColumn column)
    {
        var other = row.Cells.Single(cell => cell.Column.Letter == column.Letter).Scenario;
        return row.Cells[0].Scenario is { } first && other is not null ? [.. ComparisonRules.OfScenarios(first, other)] : null;
    }

    /// <summary>What is said of every row is said once, with its values where they are the same ones.</summary>
    private static ComparisonDifference Together(IReadOnlyList<ComparisonDifference> differences)
    {
        string Common(Func<ComparisonDifference, string> side) =>
            differences.Select(side).Distinct().Count() == 1 ? side(differences[0]) : "by scenario";
        return differences[0] with { First = Common(difference => difference.First), Other = Common(difference => difference.Other) };
    }

    private static ComparisonRow Judge(ComparisonRow row, IReadOnlyList<ComparisonColumn> columns)
    {
        var first = row.Cells[0].Scenario;
        return row with { Cells = [.. row.Cells.Select((cell, index) => Judge(first, cell with { Column = columns[index] }, index))] };
    }

    private static ComparisonCell Judge(ScenarioResult? first, ComparisonCell cell, int index)
    {
        if (first is null || cell.Scenario is not { } scenario)
        {
            return cell with { Finding = ComparisonFinding.Missing };
        }

        if (index == 0)
        {
            return cell with { Finding = ComparisonFinding.First };
        }

        var all = ComparisonRules.OfScenarios(first, scenario).ToList();
        var said = cell.Column.Differences.Select(difference => difference.What).ToHashSet();
        var judged = cell with { Differences = [.. all.Where(difference => !said.Contains(difference.What))] };
        return all.Concat(cell.Column.Differences).Any(difference => difference.ForbidsVerdict)
            ? judged with { Finding = ComparisonFinding.NotRanked }
            : Ratios(judged, first, scenario);
    }

    private static ComparisonCell Ratios(ComparisonCell cell, ScenarioResult first, ScenarioResult other)
    {
        var throughput = Ratio(other.ThroughputPerSecond, first.ThroughputPerSecond);
        var latency = Ratio(other.Latency.P50Ms, first.Latency.P50Ms) ?? Ratio(other.Latency.AverageMs, first.Latency.AverageMs);
        var tooFew = Math.Min(first.Latency.N, other.Latency.N) < MinimumOperations || throughput is null || latency is null;
        return cell with
        {
            ThroughputRatio = throughput,
            LatencyRatio = latency,
            Finding = tooFew ? ComparisonFinding.TooFew : Find(Side(throughput!.Value), -Side(latency!.Value)),
        };
    }

    private static double? Ratio(double? value, double? reference) => value is >= 0 && reference is > 0 ? value / reference : null;

    private static int Side(double ratio) => ratio > Margin ? 1 : ratio < 1 / Margin ? -1 : 0;

    private static ComparisonFinding Find(int throughput, int latency) => (Math.Sign(throughput + latency), throughput * latency) switch
    {
        (_, < 0) => ComparisonFinding.Mixed,
        (> 0, _) => ComparisonFinding.Faster,
        (< 0, _) => ComparisonFinding.Slower,
        _ => ComparisonFinding.Within,
    };
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

/// <summary>What a search for the capacity found in one column.</summary>
/// <param name="Capacity">The newest search of the run; null when it holds none.</param>
/// <param name="Ratio">Its limit over that of the first column; null unless both were found and the two are alike.</param>
/// <param name="Interval">What the ratio may be by the ends of both brackets; null with it.</param>
/// <param name="Unlike">What forbids a ratio, in words; empty when nothing does.</param>
public sealed record CapacityCell(
    ComparisonColumn Column, CapacityResult? Capacity, double? Ratio, IntervalResult? Interval, IReadOnlyList<string> Unlike)
{
    internal static CapacityCell Of(ComparisonColumn column, Measured? first, Measured? other, bool isFirst)
    {
        var cell = new CapacityCell(column, other?.Capacity, null, null, []);
        if (isFirst || first?.Capacity?.Bracket is not { } a || other?.Capacity?.Bracket is not { } b)
        {
            return cell;
        }

        var unlike = column.Differences.Concat(ComparisonRules.OfScenarios(
                first.Scenario with { DefinitionHash = "" }, other.Scenario with { DefinitionHash = "" }))
            .Where(difference => difference.ForbidsVerdict).Select(difference => difference.What).Distinct().ToList();
        return unlike.Count > 0 ? cell with { Unlike = unlike } : cell with
        {
            Ratio = other.Capacity.LimitPerSecond / first.Capacity.LimitPerSecond,
            Interval = new(b.Low / a.High, b.High / a.Low),
        };
    }
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

    /// <summary>How it stands to the first column.</summary>
    public ComparisonFinding Finding { get; init; } = ComparisonFinding.Missing;

    /// <summary>What differs in this row beyond what <see cref="ComparisonColumn.Differences"/> says of all.</summary>
    public IReadOnlyList<ComparisonDifference> Differences { get; init; } = [];

    /// <summary>Throughput over that of the first column; null unless the two are alike.</summary>
    public double? ThroughputRatio { get; init; }

    /// <summary>Median latency over that of the first column, the mean where a median is missing; null unless the two are alike.</summary>
    public double? LatencyRatio { get; init; }
}

/// <summary>How a result stands to the one of the first column.</summary>
public enum ComparisonFinding
{
    /// <summary>It is the one that others are held against.</summary>
    First,

    /// <summary>One of the two is missing.</summary>
    Missing,

    /// <summary>The two are unlike; no ratio is given.</summary>
    NotRanked,

    /// <summary>Alike, but fewer operations than <see cref="Comparison.MinimumOperations"/>: ratios without a word.</summary>
    TooFew,

    /// <summary>Throughput and latency are within <see cref="Comparison.Margin"/>.</summary>
    Within,

    /// <summary>At least one of throughput and latency is better by more than the margin, none is worse.</summary>
    Faster,

    /// <summary>At least one of throughput and latency is worse by more than the margin, none is better.</summary>
    Slower,

    /// <summary>One is better, the other worse.</summary>
    Mixed,
}

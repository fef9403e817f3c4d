namespace PerformanceTesting.Measurement;

/// <summary>What a server counted between two moments.</summary>
/// <param name="Raw">
/// Differences under the server's own names, e.g. <c>pg_stat_database.xact_commit</c>, and the collector's own cost.
/// </param>
/// <param name="Waits">
/// Shares of what active sessions waited for, the greatest first; empty, with a note, if there are too few samples.
/// </param>
/// <param name="Statements">Statements, the costliest first; null, with a note, if the server reports none.</param>
/// <param name="Notes">Why a counter is missing, and what to keep in mind when reading the others.</param>
public sealed record CollectedCounters(
    IReadOnlyDictionary<string, double> Raw, IReadOnlyList<WaitResult> Waits, IReadOnlyList<StatementCost>? Statements,
    IReadOnlyList<string> Notes)
{
    /// <summary>The figures that every result has, null where the server does not report them.</summary>
    private static readonly string[] Figures =
        ["commits", "rollbacks", "writeTransactions", "rows", "logicalReads", "walBytes", "walSyncs", "statements"];

    /// <summary>
    /// Which raw counters, added up, make each figure per operation. Of several entries for one figure, the first one
    /// counts whose counters are all there.
    /// </summary>
    public IReadOnlyList<(string Figure, IReadOnlyList<string> Counters)> PerOperation { get; init; } = [];

    /// <summary>What sessions waited for at each moment; null, with a note, if they could not be seen.</summary>
    public IReadOnlyList<SessionLook>? Looks { get; init; }

    /// <summary>What is known of a server that cannot report: why.</summary>
    public static CollectedCounters Nothing(params string[] notes) =>
        new(new Dictionary<string, double>(), [], Statements: null, notes);

    /// <summary>Times of waiting as shares of their sum, the greatest first; what took no time is left out.</summary>
    public static IReadOnlyList<WaitResult> SharesOf(IEnumerable<(string Name, double Time)> times)
    {
        var waited = times.Where(wait => wait.Time > 0).OrderByDescending(wait => wait.Time).ToList();
        var total = waited.Sum(wait => wait.Time);
        return [.. waited.Select(wait => new WaitResult(wait.Name, wait.Time / total))];
    }

    /// <summary>These together with what another server of the same run counted.</summary>
    public CollectedCounters With(CollectedCounters other) => this with
    {
        Raw = Raw.Concat(other.Raw).ToDictionary(StringComparer.Ordinal),
        PerOperation = [.. PerOperation, .. other.PerOperation],
        Notes = [.. Notes, .. other.Notes],
    };

    /// <summary>The counters as a result holds them.</summary>
    /// <param name="completed">Operations that completed in between; without them figures are null.</param>
    public BackendCounters ToResult(long completed)
    {
        var perOperation = Figures.ToDictionary(figure => figure, _ => (double?)null, StringComparer.Ordinal);
        foreach (var (figure, counters) in PerOperation)
        {
            perOperation[figure] = perOperation.GetValueOrDefault(figure)
                ?? (completed > 0 && counters.All(Raw.ContainsKey)
                    ? counters.Sum(name => Raw[name]) / completed
                    : null);
        }

        return new BackendCounters
        {
            Raw = Raw,
            PerOperation = perOperation,
            Waits = Waits,
            Notes = completed > 0 ? Notes : [.. Notes, "Null per operation: none completed."],
        };
    }
}

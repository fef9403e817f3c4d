namespace Workflow.Stores.Oracle;

/// <summary>The dormant instances of one lane, read on the connections that all reads share.</summary>
internal sealed class OracleDormantInstances(OracleDatabase database, LaneAssignment assignment) : IDormantInstances
{
    public Task<IReadOnlyList<InstanceRow>> FindAsync(DormantLookup lookup, CancellationToken cancellationToken) =>
        lookup.IsEmpty
            ? Task.FromResult<IReadOnlyList<InstanceRow>>([])
            : database.ListAsync(
                Sql.Dormant["find_dormant"], OracleRows.Instance, cancellationToken,
                Bind.Document("p_instances", OracleFlush.Of(lookup.Instances)),
                Bind.Document("p_tasks", OracleFlush.Of(lookup.Tasks)),
                Bind.Document("p_slots", JsonSerializer.Serialize(lookup.Slots)),
                Bind.Number("p_lane_count", assignment.Count), Bind.Number("p_lane", assignment.Index));

    public Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit,
        CancellationToken cancellationToken) => database.ListAsync(
        Sql.Dormant["read_due"], OracleRows.DormantDue, cancellationToken,
        Bind.Instant("p_after_utc", after?.DueUtc ?? DateTimeOffset.MinValue),
        Bind.Id("p_after_id", after?.Id ?? Guid.Empty), Bind.Instant("p_until_utc", until),
        Bind.Number("p_lane_count", assignment.Count), Bind.Number("p_lane", assignment.Index),
        Bind.Number("p_limit", limit));

    public Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, int limit, CancellationToken cancellationToken) =>
        DormantWait.SlotsOf(partition, after) is var (first, last)
            ? database.ListAsync(
                Sql.Dormant["read_slots"], r => r.GetInt64(0), cancellationToken, Bind.Number("p_first", first),
                Bind.Number("p_last", last), Bind.Number("p_limit", limit))
            : Task.FromResult<IReadOnlyList<long>>([]);
}

namespace Workflow.Stores.PostgreSql;

/// <summary>The dormant instances of one lane, read on the connections of the look-ups.</summary>
internal sealed class PostgresDormantInstances(PostgresDatabase database, LaneAssignment assignment) : IDormantInstances
{
    public Task<IReadOnlyList<InstanceRow>> FindAsync(DormantLookup lookup, CancellationToken cancellationToken) =>
        lookup.IsEmpty
            ? Task.FromResult<IReadOnlyList<InstanceRow>>([])
            : database.ReadAsync(
                database.Lookups, Sql.Dormant["find_dormant"], PostgresRows.Instance, cancellationToken,
                Query.Of(lookup.Instances.ToArray()), Query.Of(lookup.Tasks.ToArray()),
                Query.Of(lookup.Slots.ToArray()), Query.Of(assignment.Count), Query.Of(assignment.Index));

    public Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit,
        CancellationToken cancellationToken) => database.ReadAsync(
        database.Lookups, Sql.Dormant["read_due"], PostgresRows.DormantDue, cancellationToken,
        Query.Of(after?.DueUtc.UtcDateTime ?? DateTime.SpecifyKind(DateTime.MinValue, DateTimeKind.Utc)),
        Query.Of(after?.Id ?? Guid.Empty), Query.Of(until.UtcDateTime), Query.Of(assignment.Count),
        Query.Of(assignment.Index), Query.Of(limit));

    public Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, int limit, CancellationToken cancellationToken) =>
        DormantWait.SlotsOf(partition, after) is var (first, last)
            ? database.ReadAsync(
                database.Lookups, Sql.Dormant["read_slots"], r => r.GetInt64(0), cancellationToken,
                Query.Of(first), Query.Of(last), Query.Of(limit))
            : Task.FromResult<IReadOnlyList<long>>([]);
}

namespace IntegrationTests.Shared.Faults;

/// <summary>Reads of a lane's dormant instances, while the store can be reached.</summary>
internal sealed class FaultyDormantInstances(FaultyStore store, IDormantInstances inner) : IDormantInstances
{
    public async Task<IReadOnlyList<InstanceRow>> FindAsync(
        DormantLookup lookup, CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.FindAsync(lookup, cancellationToken);
    }

    public async Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        (DateTimeOffset DueUtc, Guid Id)? after, DateTimeOffset until, int limit, CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.ReadDueAsync(after, until, limit, cancellationToken);
    }

    public async Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, int limit, CancellationToken cancellationToken)
    {
        store.Reach();
        return await inner.ReadSlotsAsync(partition, after, limit, cancellationToken);
    }
}

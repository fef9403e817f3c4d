namespace Workflow.Engine.Commands;

/// <summary>The idempotency keys of a lane that were recently used or looked up.</summary>
internal sealed class IdempotencyKeys(TimeSpan retention, TimeProvider time)
{
    /// <summary>
    /// How much longer a key counts that the store still has. Without this extension, an expired key would be looked up
    /// again and again.
    /// </summary>
    private static readonly TimeSpan Extension = TimeSpan.FromSeconds(10);

    private readonly RecentEntries<string, IdempotencyRow> _keys = new(capacity: 50_000);

    /// <summary>Returns null also for an expired key: only the store knows whether the key still exists.</summary>
    public IdempotencyRow? Find(string key)
    {
        var row = _keys.Find(key);
        if (row is null || time.GetUtcNow() - row.CreatedUtc < retention)
        {
            return row;
        }

        _keys.Remove(key);
        return null;
    }

    public void Remember(IdempotencyRow row)
    {
        var oldest = time.GetUtcNow() - retention + Extension;
        _keys.TryAdd(row.Key, row.CreatedUtc < oldest ? row with { CreatedUtc = oldest } : row);
    }

    public void Forget(string key) => _keys.Remove(key);
}

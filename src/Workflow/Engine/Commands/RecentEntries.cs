namespace Workflow.Engine.Commands;

/// <summary>A dictionary that removes its oldest entry when it exceeds its capacity.</summary>
internal sealed class RecentEntries<TKey, TValue>(int capacity)
    where TKey : notnull
{
    private readonly Dictionary<TKey, TValue> _entries = [];
    private readonly Queue<TKey> _order = [];

    public TValue? Find(TKey key) => _entries.GetValueOrDefault(key);

    /// <returns>Whether the entry was added; false if the key exists.</returns>
    public bool TryAdd(TKey key, TValue value)
    {
        if (!_entries.TryAdd(key, value))
        {
            return false;
        }

        _order.Enqueue(key);
        if (_order.Count > capacity)
        {
            _entries.Remove(_order.Dequeue());
        }

        return true;
    }

    public void Remove(TKey key) => _entries.Remove(key);
}

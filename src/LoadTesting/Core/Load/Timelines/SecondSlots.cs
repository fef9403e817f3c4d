namespace LoadTesting.Core.Load.Timelines;

/// <summary>
/// One value per second, in bounded memory: when there are too many, neighbours are merged and each slot covers twice
/// the time. Not safe for concurrent writers.
/// </summary>
internal sealed class SecondSlots<T>(Func<T> create, Action<T, T> mergeInto)
    where T : class
{
    private readonly List<T?> _slots = [];
    private int _shift;

    /// <summary>Seconds that a slot covers.</summary>
    internal long SecondsEach => 1L << _shift;

    internal int Count => _slots.Count;

    /// <summary>The slot at an index; null if nothing was recorded there.</summary>
    internal T? this[int index] => index < _slots.Count ? _slots[index] : null;

    /// <summary>The slot of a second, numbered from 0. Negative seconds count as the first.</summary>
    internal T At(long second)
    {
        second = Math.Max(0, second);
        while (second >> _shift >= TimelineResult.MostPoints)
        {
            MergeNeighbours();
        }

        var index = (int)(second >> _shift);
        while (_slots.Count <= index)
        {
            _slots.Add(null);
        }

        return _slots[index] ??= create();
    }

    private void MergeNeighbours()
    {
        for (var i = 0; i < _slots.Count; i += 2)
        {
            var (first, second) = (_slots[i], i + 1 < _slots.Count ? _slots[i + 1] : null);
            if (first is not null && second is not null)
            {
                mergeInto(first, second);
            }

            _slots[i / 2] = first ?? second;
        }

        _slots.RemoveRange((_slots.Count + 1) / 2, _slots.Count / 2);
        _shift++;
    }
}

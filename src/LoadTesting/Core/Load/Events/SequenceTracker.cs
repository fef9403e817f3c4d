namespace LoadTesting.Core.Load.Events;

/// <summary>Tracks the highest number of each stream.</summary>
internal sealed class SequenceTracker(int maximumStreams)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, long> _highest = new(StringComparer.Ordinal);
    private long _outOfOrder;
    private long _untracked;

    internal void Observe(EventSequence sequence)
    {
        lock (_gate)
        {
            if (!_highest.TryGetValue(sequence.Stream, out var highest))
            {
                if (_highest.Count >= maximumStreams)
                {
                    _untracked++;
                    return;
                }

                highest = sequence.Number;
            }

            if (sequence.Number < highest)
            {
                _outOfOrder++;
            }

            _highest[sequence.Stream] = Math.Max(highest, sequence.Number);
        }
    }

    internal (long OutOfOrder, long Untracked) Read()
    {
        lock (_gate)
        {
            return (_outOfOrder, _untracked);
        }
    }
}

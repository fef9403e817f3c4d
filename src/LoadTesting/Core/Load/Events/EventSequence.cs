namespace LoadTesting.Core.Load.Events;

/// <summary>An event's place in a stream whose order is promised.</summary>
/// <param name="Stream">The stream, such as one lane of an outbox. Few; they are kept for the whole run.</param>
/// <param name="Number">Ascending within the stream. Gaps are no fault, and a repeated number is a redelivery, not a reordering.</param>
public readonly record struct EventSequence(string Stream, long Number);

/// <summary>The highest number seen of each stream.</summary>
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

using System.Buffers;

namespace Workflow.Abstractions;

/// <summary>
/// The position of a reader in every stream. Immutable. Its text is <c>0:17.1:4</c> (stream, colon, sequence; separated
/// by dots).
/// </summary>
public sealed class EventPosition : IEquatable<EventPosition>
{
    /// <summary>The maximum number of streams: one for each lane of a store.</summary>
    private const int MaxStreams = 64;

    private const long MaxPast = (1L << 53) - 1;

    // Ascending by stream. Few, and read far more often than looked up: thousands of readers each make a position for
    // each event.
    private readonly (int Stream, long Sequence)[] _sequences;
    private byte[]? _text;

    private EventPosition((int Stream, long Sequence)[] sequences) => _sequences = sequences;

    /// <summary>Before the oldest event that is kept.</summary>
    public static EventPosition Start { get; } = new([]);

    /// <summary>The sequence of the last event read of a stream; 0 when none was.</summary>
    public long this[int stream] => IndexOf(stream) is >= 0 and var index ? _sequences[index].Sequence : 0;

    /// <summary>The position after one more event.</summary>
    public EventPosition With(int stream, long sequence)
    {
        var index = IndexOf(stream);
        if (index < 0)
        {
            return new([.. _sequences[..~index], (stream, sequence), .. _sequences[~index..]]);
        }

        var changed = _sequences.AsSpan().ToArray();
        changed[index].Sequence = sequence;
        return new(changed);
    }

    /// <summary>
    /// The position without streams from <paramref name="streams"/> on. A client may name streams that do not exist,
    /// and every event would repeat them.
    /// </summary>
    public EventPosition Below(int streams)
    {
        var index = IndexOf(streams);
        var known = index < 0 ? ~index : index;
        return known == _sequences.Length ? this : new(_sequences[..known]);
    }

    /// <summary>Whether everything up to <paramref name="other"/> has been read, in every stream.</summary>
    public bool Reaches(EventPosition other) =>
        Array.TrueForAll(other._sequences, stream => this[stream.Stream] >= stream.Sequence);

    /// <summary>
    /// The number of events by which this position is past another, over all streams. At most 2^53 - 1, the largest
    /// integer that every JSON reader keeps.
    /// </summary>
    public long Past(EventPosition other) => (long)Int128.Min(
        MaxPast, _sequences.Aggregate(Int128.Zero, (sum, s) => sum + Math.Max(0, s.Sequence - other[s.Stream])));

    /// <exception cref="FormatException">The text is not a position.</exception>
    public static EventPosition Parse(string text)
    {
        var sequences = new SortedDictionary<int, long>();
        foreach (var part in text.Length == 0 ? [] : text.Split('.'))
        {
            var colon = part.IndexOf(':', StringComparison.Ordinal);
            if (colon < 1
                || !int.TryParse(part.AsSpan(0, colon), NumberStyles.None, CultureInfo.InvariantCulture, out var stream)
                || stream >= MaxStreams
                || !long.TryParse(
                    part.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var sequence))
            {
                throw new FormatException(
                    $"'{text}' is not an event position. Use the id of an event of the stream, e.g. 0:17.1:4.");
            }

            sequences[stream] = sequence;
        }

        return new([.. sequences.Select(s => (s.Key, s.Value))]);
    }

    /// <summary>
    /// Writes the text in UTF-8. The bytes are cached, because thousands of readers write the same position.
    /// </summary>
    public void WriteTo(IBufferWriter<byte> output) => output.Write(_text ??= Encoding.UTF8.GetBytes(ToString()));

    /// <summary>Whether both positions are equal in every stream.</summary>
    public bool Equals(EventPosition? other) =>
        ReferenceEquals(this, other) || (other is not null && _sequences.AsSpan().SequenceEqual(other._sequences));

    public override bool Equals(object? obj) => Equals(obj as EventPosition);

    public override int GetHashCode() => _sequences.Aggregate(0, HashCode.Combine);

    public override string ToString() =>
        string.Join(
            '.', _sequences.Select(s => string.Create(CultureInfo.InvariantCulture, $"{s.Stream}:{s.Sequence}")));

    /// <returns>
    /// As <see cref="Array.BinarySearch(Array, object)"/>: the complement of where it belongs when it is not there.
    /// </returns>
    private int IndexOf(int stream)
    {
        var index = 0;
        while (index < _sequences.Length && _sequences[index].Stream < stream)
        {
            index++;
        }

        return index < _sequences.Length && _sequences[index].Stream == stream ? index : ~index;
    }
}

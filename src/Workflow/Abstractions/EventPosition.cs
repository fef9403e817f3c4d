using System.Globalization;
using Workflow.Contracts.Events;

namespace Workflow.Abstractions;

/// <summary>How far a reader has come in every stream. Immutable; as text <c>0:17.1:4</c> (stream, colon, sequence; dots).</summary>
public sealed class EventPosition
{
    private readonly SortedDictionary<int, long> _sequences;

    private EventPosition(SortedDictionary<int, long> sequences) => _sequences = sequences;

    /// <summary>Before the oldest event that is kept.</summary>
    public static EventPosition Start { get; } = new([]);

    /// <summary>The sequence of the last event read of a stream; 0 when none was.</summary>
    public long this[int stream] => _sequences.GetValueOrDefault(stream);

    /// <summary>The position after one more event.</summary>
    public EventPosition With(int stream, long sequence) => new(new(_sequences) { [stream] = sequence });

    /// <summary>Whether everything up to <paramref name="other"/> has been read, in every stream.</summary>
    public bool Reaches(EventPosition other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return other._sequences.All(stream => this[stream.Key] >= stream.Value);
    }

    /// <exception cref="FormatException">The text is none.</exception>
    public static EventPosition Parse(string text)
    {
        var sequences = new SortedDictionary<int, long>();
        foreach (var part in text.Split('.', StringSplitOptions.RemoveEmptyEntries))
        {
            var colon = part.IndexOf(':', StringComparison.Ordinal);
            if (colon < 1
                || !int.TryParse(part.AsSpan(0, colon), NumberStyles.None, CultureInfo.InvariantCulture, out var stream)
                || !long.TryParse(part.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var sequence))
            {
                throw new FormatException($"'{text}' is not an event position. Use the id of an event of the stream, e.g. 0:17.1:4.");
            }

            sequences[stream] = sequence;
        }

        return new(sequences);
    }

    public override string ToString() =>
        string.Join('.', _sequences.Select(s => string.Create(CultureInfo.InvariantCulture, $"{s.Key}:{s.Value}")));
}

/// <summary>An event and the position after it.</summary>
/// <param name="Position">Where to resume.</param>
/// <param name="Missed">Events of its stream right before it that were trimmed before they could be read.</param>
public sealed record PositionedEvent(IntegrationEvent Event, EventPosition Position, long Missed = 0);

using System.Buffers;
using System.Buffers.Text;
using System.Runtime.InteropServices;
using System.Text.Encodings.Web;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// Successive events of a stream in one row: a row and an index entry for each would cost more than the events, and
/// alone they are too short to be compressed.
/// </summary>
/// <param name="Text">
/// UTF-8: JSON array of [type, definition, microseconds since 1970, event], from <paramref name="First"/> on.
/// </param>
/// <param name="CreatedUtc">Of the last event.</param>
internal sealed record EventPage(
    int Stream, long First, long Last, ReadOnlyMemory<byte> Text, DateTimeOffset CreatedUtc)
{
    /// <summary>Longer pages are cut: who reads one event reads its page.</summary>
    private const int MaxEvents = 64;

    private const int MaxLength = 32_768;

    /// <param name="text">Is cleared, and holds the pages' texts.</param>
    public static List<EventPage> Of(IReadOnlyList<LaneFlush> flushes, ArrayBufferWriter<byte> text)
    {
        var pages = new List<EventPage>();
        text.ResetWrittenCount();
        foreach (var flush in flushes)
        {
            var events = flush.Batch.Events;
            for (int first = 0, next = 0; next < events.Count; first = next)
            {
                var begin = text.WrittenCount;
                while (next < events.Count && next - first < MaxEvents
                    && (next == first || text.WrittenCount - begin + events[next].Body.Length < MaxLength))
                {
                    text.Write(next == first ? "[[\""u8 : ",[\""u8);
                    Write(text, events[next++]);
                }

                text.Write("]"u8);
                var last = events[next - 1];
                pages.Add(
                    new(last.Stream, events[first].Sequence, last.Sequence, text.WrittenMemory[begin..],
                        last.CreatedUtc));
            }
        }

        return pages;
    }

    /// <summary>The events after a position.</summary>
    public static IEnumerable<EventRow> Read(int stream, long first, string text, long after)
    {
        using var page = JsonDocument.Parse(text);
        var sequence = first;
        foreach (var entry in page.RootElement.EnumerateArray())
        {
            if (sequence > after)
            {
                yield return new(
                    stream, sequence, entry[0].GetString()!, entry[1].GetString(),
                    JsonMarshal.GetRawUtf8Value(entry[3]).ToArray(),
                    DateTimeOffset.UnixEpoch.AddMicroseconds(entry[2].GetInt64()));
            }

            sequence++;
        }
    }

    private static void Write(ArrayBufferWriter<byte> text, EventRow row)
    {
        Encoding.UTF8.GetBytes(JavaScriptEncoder.Default.Encode(row.Type), text);
        if (row.Definition is { } definition)
        {
            text.Write("\",\""u8);
            Encoding.UTF8.GetBytes(JavaScriptEncoder.Default.Encode(definition), text);
            text.Write("\","u8);
        }
        else
        {
            text.Write("\",null,"u8);
        }

        var micros = (row.CreatedUtc.UtcTicks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMicrosecond;
        Utf8Formatter.TryFormat(micros, text.GetSpan(20), out var written);
        text.Advance(written);
        text.Write(","u8);
        text.Write(row.Body);
        text.Write("]"u8);
    }
}

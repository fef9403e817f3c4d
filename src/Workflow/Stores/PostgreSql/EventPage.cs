using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Workflow.Abstractions.Stores;

namespace Workflow.Stores.PostgreSql;

/// <summary>
/// Successive events of a stream in one row: a row and an index entry for each would cost more than the events, and alone they are too
/// short to be compressed.
/// </summary>
/// <param name="Text">JSON array of [type, definition, microseconds since 1970, event], the first one of <paramref name="First"/>.</param>
/// <param name="CreatedUtc">Of the last event.</param>
internal sealed record EventPage(int Stream, long First, long Last, string Text, DateTimeOffset CreatedUtc)
{
    /// <summary>Longer pages are cut: who reads one event reads its page.</summary>
    private const int MaxEvents = 64;

    private const int MaxLength = 32_768;

    public static List<EventPage> Of(IReadOnlyList<LaneFlush> flushes)
    {
        var pages = new List<EventPage>();
        var text = new StringBuilder();
        foreach (var flush in flushes)
        {
            var events = flush.Batch.Events;
            for (int first = 0, next = 0; next < events.Count; first = next)
            {
                text.Clear();
                while (next < events.Count && next - first < MaxEvents
                    && (next == first || text.Length + events[next].Body.Length < MaxLength))
                {
                    Append(text, events[next++]);
                }

                var last = events[next - 1];
                pages.Add(new(last.Stream, events[first].Sequence, last.Sequence, text.Append(']').ToString(), last.CreatedUtc));
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
                yield return new(stream, sequence, entry[0].GetString()!, entry[1].GetString(), entry[3].GetRawText(),
                    DateTimeOffset.UnixEpoch.AddMicroseconds(entry[2].GetInt64()));
            }

            sequence++;
        }
    }

    private static void Append(StringBuilder text, EventRow row)
    {
        text.Append(text.Length == 0 ? '[' : ',').Append("[\"").Append(JavaScriptEncoder.Default.Encode(row.Type)).Append("\",");
        if (row.Definition is { } definition)
        {
            text.Append('"').Append(JavaScriptEncoder.Default.Encode(definition)).Append('"');
        }
        else
        {
            text.Append("null");
        }

        var micros = (row.CreatedUtc.UtcTicks - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMicrosecond;
        text.Append(CultureInfo.InvariantCulture, $",{micros},").Append(row.Body).Append(']');
    }
}

using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Workflow.Abstractions;
using Workflow.Contracts;
using Workflow.Contracts.Events;

namespace Workflow.WebService.Responses;

/// <summary>The frames of a stream of server-sent events: id, event name, one line of JSON, and an empty line.</summary>
internal sealed class EventFrames(PipeWriter output, TimeProvider timeProvider)
{
    private static readonly JsonWriterOptions WriterOptions = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    private readonly Utf8JsonWriter _json = new(output, WriterOptions);

    public void WriteComment(ReadOnlySpan<byte> text)
    {
        output.Write(": "u8);
        output.Write(text);
        output.Write("\n\n"u8);
    }

    /// <summary>A frame without data is no event, but a browser remembers its id.</summary>
    public void WritePosition(EventPosition position)
    {
        WriteId(position);
        output.Write("\n\n"u8);
    }

    public void Write(PositionedEvent positioned)
    {
        WriteId(positioned.Position);
        output.Write("\nevent: "u8);
        Encoding.UTF8.GetBytes(OneLine(positioned.Event.Type), output);
        output.Write("\ndata: "u8);
        var stamped = Stamp(positioned.Event);
        _json.Reset(output);
        JsonSerializer.Serialize(_json, stamped, stamped.GetType(), ContractsJson.Default);
        _json.Flush();
        output.Write("\n\n"u8);
    }

    private void WriteId(EventPosition position)
    {
        output.Write("id: "u8);
        Encoding.UTF8.GetBytes(position.ToString(), output);
    }

    /// <summary>
    /// Says when the event left. One that was read again from the store says it no more than it says when it was committed: its other times
    /// may be of another boot, and a difference between the two would be no duration.
    /// </summary>
    private IntegrationEvent Stamp(IntegrationEvent value) => value.Timestamps.CommittedTicks is null
        ? value
        : value with { Timestamps = value.Timestamps with { PublishedUtc = timeProvider.GetUtcNow(), PublishedTicks = timeProvider.GetTimestamp() } };

    /// <summary>A line end in a name would end the field.</summary>
    private static string OneLine(string name) => name.AsSpan().ContainsAny('\r', '\n') ? name.ReplaceLineEndings(" ") : name;
}

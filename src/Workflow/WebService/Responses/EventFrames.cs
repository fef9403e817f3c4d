using System.Buffers;
using System.IO.Pipelines;
using Workflow.Abstractions;
using Workflow.Contracts;
using Workflow.Contracts.Events;

namespace Workflow.WebService.Responses;

/// <summary>
/// The frames of a stream of server-sent events: id, event name, one line of JSON, and an empty line.
/// </summary>
internal sealed class EventFrames(PipeWriter output, TimeProvider timeProvider)
{
    [ThreadStatic]
    private static ArrayBufferWriter<byte>? t_whole;

    public void WriteComment(ReadOnlySpan<byte> text)
    {
        output.Write(": "u8);
        output.Write(text);
        output.Write("\n\n"u8);
    }

    /// <summary>Writes a frame without data: it is not an event, but a browser remembers its id.</summary>
    public void WritePosition(EventPosition position)
    {
        WriteId(output, position);
        output.Write("\n\n"u8);
    }

    /// <summary>Writes a gap without an id, so that a client that resumes here is told of the gap again.</summary>
    public void WriteGap(long missed)
    {
        Encoding.UTF8.GetBytes($"event: {EventTypes.Gap}\ndata: ", output);
        output.Write(JsonSerializer.SerializeToUtf8Bytes(new EventGap(missed), ContractsJson.Default));
        output.Write("\n\n"u8);
    }

    public void Write(PositionedEvent positioned)
    {
        var frame = SharedFrame.Of(positioned.Event);
        if (!frame.IsKept)
        {
            Compose(output);
            return;
        }

        // Write the frame in one piece: each write to the server's buffer takes a lock.
        var whole = t_whole ??= new ArrayBufferWriter<byte>();
        whole.ResetWrittenCount();
        Compose(whole);
        output.Write(whole.WrittenSpan);

        void Compose(IBufferWriter<byte> to)
        {
            WriteId(to, positioned.Position);
            frame.WriteTo(to, timeProvider);
        }
    }

    private static void WriteId(IBufferWriter<byte> to, EventPosition position)
    {
        to.Write("id: "u8);
        position.WriteTo(to);
    }
}

using System.Net.WebSockets;
using Workflow.Engine.Configuration;

namespace Workflow.WebService.Peers;

/// <summary>The items of frames between nodes.</summary>
internal static class PeerFrames
{
    private const int IdSize = 16;

    public static void Write(BinaryWriter writer, PeerRequest request)
    {
        Write(writer, request.Id);
        writer.Write(request.Partition);
        writer.Write(request.Kind);
        writer.Write(request.Body);
    }

    public static PeerRequest ReadRequest(BinaryReader reader) =>
        new(ReadId(reader), reader.ReadInt16(), reader.ReadString(), reader.ReadString());

    /// <param name="answer">The id of the request, and the reply.</param>
    public static void Write(BinaryWriter writer, (Guid Id, PeerReply Reply) answer)
    {
        Write(writer, answer.Id);
        writer.Write((byte)answer.Reply.Outcome);
        writer.Write(answer.Reply.Body ?? "");
        Write(writer, answer.Reply.Owner ?? Guid.Empty);
    }

    public static (Guid Id, PeerReply Reply) ReadReply(BinaryReader reader)
    {
        var (id, outcome, body) = (ReadId(reader), (PeerOutcome)reader.ReadByte(), reader.ReadString());
        var owner = ReadId(reader);
        return (id, new(
            outcome, outcome == PeerOutcome.Answered ? body : null, owner == Guid.Empty ? null : owner));
    }

    /// <summary>
    /// Whether a connection has ended with the exception. InvalidOperationException: it breaks while it is used
    /// (ObjectDisposedException).
    /// </summary>
    public static bool IsEnd(Exception exception) => exception is WebSocketException or OperationCanceledException
        or InvalidDataException or IOException or InvalidOperationException;

    private static void Write(BinaryWriter writer, Guid id)
    {
        Span<byte> bytes = stackalloc byte[IdSize];
        id.TryWriteBytes(bytes);
        writer.Write(bytes);
    }

    private static Guid ReadId(BinaryReader reader)
    {
        Span<byte> bytes = stackalloc byte[IdSize];
        reader.ReadExactly(bytes);
        return new(bytes);
    }
}

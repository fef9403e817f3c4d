using System.Buffers.Binary;
using MongoDB.Bson.IO;
using MongoDB.Bson.Serialization;
using MongoDB.Bson.Serialization.Serializers;

namespace IntegrationTests.Mongo.Server;

/// <summary>
/// A command on the wire: OP_MSG, or OP_QUERY, by which a driver greets a server that it does not know yet.
/// </summary>
internal sealed record WireMessage(int RequestId, BsonDocument Command, bool IsQuery, bool WantsReply)
{
    private const int HeaderBytes = 16;
    private const int ReplyCode = 1;
    private const int QueryCode = 2004;
    private const int MessageCode = 2013;
    private const int MoreToCome = 1 << 1;

    /// <summary>Larger than any message that a driver may send.</summary>
    private const int LargestBytes = 64 << 20;

    /// <returns>Null when the connection has ended.</returns>
    public static async Task<WireMessage?> ReadAsync(Stream stream, CancellationToken cancellationToken)
    {
        var header = new byte[HeaderBytes];
        var read = await stream.ReadAtLeastAsync(header, HeaderBytes, throwOnEndOfStream: false, cancellationToken);
        if (read < HeaderBytes)
        {
            return null;
        }

        var length = BinaryPrimitives.ReadInt32LittleEndian(header);
        if (length is < HeaderBytes or > LargestBytes)
        {
            throw new InvalidDataException($"A message of {length} bytes.");
        }

        var body = new byte[length - HeaderBytes];
        await stream.ReadExactlyAsync(body, cancellationToken);
        var id = BinaryPrimitives.ReadInt32LittleEndian(header.AsSpan(4));
        var code = BinaryPrimitives.ReadInt32LittleEndian(header.AsSpan(12));
        using var reader = new BsonBinaryReader(new MemoryStream(body));
        return code switch
        {
            MessageCode => ReadMessage(id, reader.BsonStream),
            QueryCode => ReadQuery(id, reader.BsonStream),
            _ => throw new InvalidDataException($"A message of code {code}."),
        };
    }

    public async Task ReplyAsync(Stream stream, BsonDocument reply, CancellationToken cancellationToken)
    {
        var document = reply.ToBson();
        var prefix = new byte[HeaderBytes + (IsQuery ? 20 : 5)];
        BinaryPrimitives.WriteInt32LittleEndian(prefix, prefix.Length + document.Length);
        BinaryPrimitives.WriteInt32LittleEndian(prefix.AsSpan(8), RequestId);
        BinaryPrimitives.WriteInt32LittleEndian(prefix.AsSpan(12), IsQuery ? ReplyCode : MessageCode);
        if (IsQuery)
        {
            // After flags, cursor and position: one document.
            BinaryPrimitives.WriteInt32LittleEndian(prefix.AsSpan(HeaderBytes + 16), 1);
        }

        await stream.WriteAsync((byte[])[.. prefix, .. document], cancellationToken);
        await stream.FlushAsync(cancellationToken);
    }

    /// <summary>A body, and lists of documents beside it, which belong into the body by their names.</summary>
    private static WireMessage ReadMessage(int id, BsonStream stream)
    {
        var flags = stream.ReadInt32();
        var command = new BsonDocument();
        var lists = new List<BsonElement>();
        while (stream.Position < stream.Length)
        {
            if (stream.ReadByte() == 0)
            {
                command = ReadDocument(stream);
                continue;
            }

            var end = stream.Position + stream.ReadInt32();
            var name = stream.ReadCString(Utf8Encodings.Strict);
            var documents = new BsonArray();
            while (stream.Position < end)
            {
                documents.Add(ReadDocument(stream));
            }

            lists.Add(new(name, documents));
        }

        return new(id, command.AddRange(lists), IsQuery: false, WantsReply: (flags & MoreToCome) == 0);
    }

    private static WireMessage ReadQuery(int id, BsonStream stream)
    {
        stream.ReadInt32();
        stream.ReadCString(Utf8Encodings.Strict);
        stream.ReadInt32();
        stream.ReadInt32();
        return new(id, ReadDocument(stream), IsQuery: true, WantsReply: true);
    }

    private static BsonDocument ReadDocument(BsonStream stream)
    {
        using var reader = new BsonBinaryReader(stream);
        return BsonDocumentSerializer.Instance.Deserialize(BsonDeserializationContext.CreateRoot(reader));
    }
}

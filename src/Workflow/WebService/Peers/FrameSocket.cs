using System.Buffers;
using System.Net.WebSockets;
using System.Runtime.InteropServices;
using System.Threading.Channels;

namespace Workflow.WebService.Peers;

/// <summary>
/// One end of a connection between nodes. A message of the web socket is a frame of items; what is posted while a frame
/// is on its way travels in the next one.
/// </summary>
/// <param name="largestFrame">A larger frame ends the connection, bytes.</param>
internal sealed class FrameSocket<TOut, TIn>(
    WebSocket socket, ChannelReader<TOut> outgoing, Action<BinaryWriter, TOut> write, Func<BinaryReader, TIn> read,
    long largestFrame)
{
    /// <summary>A frame takes no more items once it has so many bytes.</summary>
    private const int FullFrame = 65_536;

    private const int ReadSize = 16_384;

    /// <summary>Runs until the other end closes the connection, or nothing more is posted.</summary>
    /// <param name="receive">Takes an item. It must not block.</param>
    /// <exception cref="WebSocketException">The connection is broken.</exception>
    /// <exception cref="InvalidDataException">A frame is too large, or is none.</exception>
    public async Task RunAsync(Action<TIn> receive, CancellationToken cancellationToken)
    {
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var sending = SendAllAsync(ended.Token);
        var receiving = ReceiveAllAsync(receive, ended.Token);
        var first = await Task.WhenAny(sending, receiving);
        await ended.CancelAsync();
        await Task.WhenAll(sending, receiving).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await first;
    }

    private async Task SendAllAsync(CancellationToken cancellationToken)
    {
        using var frame = new MemoryStream();
        await using var writer = new BinaryWriter(frame);
        while (await outgoing.WaitToReadAsync(cancellationToken))
        {
            frame.SetLength(0);
            while (frame.Length < FullFrame && outgoing.TryRead(out var item))
            {
                write(writer, item);
            }

            await socket.SendAsync(
                frame.GetBuffer().AsMemory(0, (int)frame.Length), WebSocketMessageType.Binary, endOfMessage: true,
                cancellationToken);
        }

        await socket.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, cancellationToken);
    }

    private async Task ReceiveAllAsync(Action<TIn> receive, CancellationToken cancellationToken)
    {
        var frame = new ArrayBufferWriter<byte>(ReadSize);
        while (true)
        {
            var part = await socket.ReceiveAsync(frame.GetMemory(ReadSize), cancellationToken);
            if (part.MessageType == WebSocketMessageType.Close)
            {
                return;
            }

            frame.Advance(part.Count);
            if (frame.WrittenCount > largestFrame)
            {
                throw new InvalidDataException(
                    $"A frame of another node has more than {largestFrame} bytes.");
            }

            if (part.EndOfMessage)
            {
                ReadItems(frame.WrittenMemory, receive);
                frame.ResetWrittenCount();
            }
        }
    }

    private void ReadItems(ReadOnlyMemory<byte> frame, Action<TIn> receive)
    {
        MemoryMarshal.TryGetArray(frame, out var bytes);
        using var reader = new BinaryReader(
            new MemoryStream(bytes.Array!, bytes.Offset, bytes.Count, writable: false));
        while (reader.BaseStream.Position < reader.BaseStream.Length)
        {
            TIn item;
            try
            {
                item = read(reader);
            }
            catch (Exception e) when (e is EndOfStreamException or FormatException or ArgumentException)
            {
                throw new InvalidDataException("A frame of another node cannot be read.", e);
            }

            receive(item);
        }
    }
}

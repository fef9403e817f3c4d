using System.Buffers.Binary;
using System.Text;

namespace PerformanceTesting.Backends.Containers;

/// <summary>
/// Reads the stream of a container without a terminal: frames of a type (1 output, 2 errors), three zeros, a length of four bytes, and the text
/// (https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Container/operation/ContainerAttach).
/// </summary>
internal static class DockerFrames
{
    private const int HeaderLength = 8;
    private const byte Errors = 2;

    /// <summary>Reads to the end of the stream.</summary>
    public static async IAsyncEnumerable<(bool IsError, string Text)> ReadAsync(
        Stream stream, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var header = new byte[HeaderLength];
        while (await stream.ReadAtLeastAsync(header, HeaderLength, throwOnEndOfStream: false, cancellationToken) == HeaderLength)
        {
            var text = new byte[BinaryPrimitives.ReadInt32BigEndian(header.AsSpan(4))];
            await stream.ReadExactlyAsync(text, cancellationToken);
            yield return (header[0] == Errors, Encoding.UTF8.GetString(text));
        }
    }
}

using System.Buffers;
using System.IO.Pipelines;
using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Requests;

/// <summary>Reads a body whole, within the limits of one and of all that come in together, without copying it.</summary>
internal sealed class RequestBody(ServiceSettings settings)
{
    /// <summary>
    /// A body over the limit is read on and thrown away up to this many limits before it is refused: a server that answers and closes while
    /// the client still sends resets the connection, and the client never sees the answer. Past it the server itself cuts the connection.
    /// </summary>
    public const int DrainedLimits = 16;

    /// <summary>The media type of every body but a BPMN file.</summary>
    public const string Json = "application/json";

    /// <summary>The media type of a BPMN file.</summary>
    public const string Xml = "application/xml";

    /// <summary>Bytes of bodies that have not come in whole.</summary>
    private long _held;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Whether a request that may leave its body out has one.</summary>
    public static bool IsThere(HttpRequest request) =>
        request.ContentType is not null || request.ContentLength > 0 || request.Headers.TransferEncoding.Count > 0;

    /// <summary>Reads the body, gives it to a parser, and releases it.</summary>
    /// <param name="limits">How many times the limit it may have: what another node sends is JSON within JSON.</param>
    /// <exception cref="ProblemException">Wrong content type, too large, empty, or what the parser finds.</exception>
    public async ValueTask<T> ReadAsync<T>(
        HttpContext context, Func<ReadOnlySequence<byte>, T> parse, string mediaType = Json, int limits = 1)
    {
        var request = context.Request;
        if (!Is(mediaType, request.ContentType))
        {
            throw new ProblemException(RequestProblems.WrongContentType(request.ContentType));
        }

        var reader = request.BodyReader;
        var held = 0L;
        try
        {
            while (true)
            {
                var read = await reader.ReadAsync();
                if (read.Buffer.Length > settings.MaxBodyBytes * limits)
                {
                    var total = await DrainAsync(context, read.Buffer);
                    throw new ProblemException(RequestProblems.TooLarge(total, settings.MaxBodyBytes * limits));
                }

                if (read.IsCompleted)
                {
                    return Parse(reader, read.Buffer, parse);
                }

                var more = read.Buffer.Length - held;
                held += more;
                if (Interlocked.Add(ref _held, more) > settings.MaxBodiesBytes)
                {
                    await DrainAsync(context, read.Buffer);
                    throw new ProblemException(RequestProblems.TooManyBodies(settings.MaxBodiesBytes));
                }

                reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
            }
        }
        finally
        {
            Interlocked.Add(ref _held, -held);
        }
    }

    private static T Parse<T>(PipeReader reader, ReadOnlySequence<byte> body, Func<ReadOnlySequence<byte>, T> parse)
    {
        try
        {
            return parse(WithoutMark(body));
        }
        finally
        {
            reader.AdvanceTo(body.End);
        }
    }

    /// <summary>Reads the rest of the body without keeping it.</summary>
    /// <returns>Its bytes; null where the client says so, or sends without an end.</returns>
    private async Task<long?> DrainAsync(HttpContext context, ReadOnlySequence<byte> first)
    {
        var reader = context.Request.BodyReader;
        var total = first.Length;
        reader.AdvanceTo(first.End);
        while (total <= settings.MaxBodyBytes * DrainedLimits)
        {
            var read = await reader.ReadAsync();
            total += read.Buffer.Length;
            reader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return total;
            }
        }

        return context.Request.ContentLength;
    }

    public static bool Is(string mediaType, string? contentType) => contentType is not null
        && contentType.StartsWith(mediaType, StringComparison.OrdinalIgnoreCase)
        && (contentType.Length == mediaType.Length || contentType[mediaType.Length] is ';' or ' ');

    private static ReadOnlySequence<byte> WithoutMark(ReadOnlySequence<byte> body) =>
        body.FirstSpan.StartsWith(ByteOrderMark) ? body.Slice(ByteOrderMark.Length) : body;
}

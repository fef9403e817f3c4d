using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.RequestDecompression;
using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Requests;

/// <summary>
/// Reads a body whole, within the limits of one and of all that come in together, without copying it.
/// </summary>
internal sealed class RequestBody(ServiceSettings settings)
{
    /// <summary>
    /// A body over the limit is read on and thrown away up to this many limits before it is refused: a server that
    /// answers and closes while the client still sends resets the connection, and the client never sees the answer.
    /// Past it the server itself cuts the connection.
    /// </summary>
    public const int DrainedLimits = 16;

    /// <summary>The media type of every body but a BPMN file.</summary>
    public const string Json = "application/json";

    /// <summary>The media types of a BPMN file.</summary>
    public static readonly string[] Xml = ["application/xml", "text/xml", "application/bpmn+xml"];

    /// <summary>Content codings that are decoded, as <c>Accept-Encoding</c> lists them.</summary>
    private const string Codings = "gzip, br, deflate";

    /// <summary>Bytes of bodies that have not come in whole.</summary>
    private long _held;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>
    /// The library decodes what it knows, up to the server's limit; the limit of a body counts what comes out.
    /// </summary>
    public static void AddCodings(RequestDecompressionOptions options) =>
        options.DecompressionProviders["x-gzip"] = options.DecompressionProviders["gzip"];

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
            throw new ProblemException(RequestProblems.WrongContentType(request));
        }

        CheckCoding(context);
        var reader = request.BodyReader;
        var held = 0L;
        try
        {
            while (true)
            {
                var read = await NextAsync(reader);
                if (read.Buffer.Length > settings.MaxBodyBytes * limits)
                {
                    var total = await DrainAsync(context, read.Buffer);
                    throw new ProblemException(RequestProblems.TooLarge(total, settings.MaxBodyBytes * limits));
                }

                if (read.IsCompleted)
                {
                    // Of XML the mark says what the encoding is.
                    return Parse(
                        reader, mediaType == Json ? WithoutMark(read.Buffer) : read.Buffer, read.Buffer.End, parse);
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

    /// <summary>What is not decoded by now is not known here.</summary>
    private static void CheckCoding(HttpContext context)
    {
        var coding = context.Request.Headers.ContentEncoding.ToString();
        if (coding.Length > 0 && !coding.Equals("identity", StringComparison.OrdinalIgnoreCase))
        {
            context.Response.Headers.AcceptEncoding = Codings;
            throw new ProblemException(RequestProblems.UnknownCoding(coding, Codings));
        }
    }

    /// <remarks>A reader of Brotli reports what it cannot decode as an invalid operation.</remarks>
    private static async ValueTask<ReadResult> NextAsync(PipeReader reader)
    {
        try
        {
            return await reader.ReadAsync();
        }
        catch (Exception e) when (e is InvalidDataException or InvalidOperationException)
        {
            throw new ProblemException(RequestProblems.NotDecoded(), e);
        }
    }

    private static T Parse<T>(
        PipeReader reader, ReadOnlySequence<byte> body, SequencePosition end, Func<ReadOnlySequence<byte>, T> parse)
    {
        try
        {
            return parse(body);
        }
        finally
        {
            reader.AdvanceTo(end);
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
            var read = await NextAsync(reader);
            total += read.Buffer.Length;
            reader.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
            {
                return total;
            }
        }

        return context.Request.ContentLength > total ? context.Request.ContentLength : null;
    }

    public static bool Is(string mediaType, string? contentType) => contentType is not null
        && contentType.StartsWith(mediaType, StringComparison.OrdinalIgnoreCase)
        && (contentType.Length == mediaType.Length || contentType[mediaType.Length] is ';' or ' ');

    private static ReadOnlySequence<byte> WithoutMark(ReadOnlySequence<byte> body) =>
        body.FirstSpan.StartsWith(ByteOrderMark) ? body.Slice(ByteOrderMark.Length) : body;
}

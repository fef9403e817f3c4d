using System.Buffers;
using Workflow.WebService.Configuration;
using Workflow.WebService.Problems;

namespace Workflow.WebService.Requests;

/// <summary>Reads a JSON body whole, within the limit, without copying it.</summary>
internal sealed class RequestBody(ServiceSettings settings)
{
    /// <summary>
    /// A body over the limit is read on and thrown away up to this many limits before it is refused: a server that answers and closes while
    /// the client still sends resets the connection, and the client never sees the answer. Past it the server itself cuts the connection.
    /// </summary>
    public const int DrainedLimits = 16;

    private static ReadOnlySpan<byte> ByteOrderMark => [0xEF, 0xBB, 0xBF];

    /// <summary>Reads the body, gives it to a parser, and releases it.</summary>
    /// <exception cref="ProblemException">Wrong content type, too large, empty, or what the parser finds.</exception>
    public async ValueTask<T> ReadAsync<T>(HttpContext context, Func<ReadOnlySequence<byte>, T> parse)
    {
        var request = context.Request;
        if (!IsJson(request.ContentType))
        {
            throw new ProblemException(RequestProblems.WrongContentType(request.ContentType));
        }

        var reader = request.BodyReader;
        while (true)
        {
            var read = await reader.ReadAsync();
            if (read.Buffer.Length > settings.MaxBodyBytes)
            {
                throw await RefuseAsync(context, read.Buffer);
            }

            if (!read.IsCompleted)
            {
                reader.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                continue;
            }

            try
            {
                return parse(WithoutMark(read.Buffer));
            }
            finally
            {
                reader.AdvanceTo(read.Buffer.End);
            }
        }
    }

    private async Task<ProblemException> RefuseAsync(HttpContext context, ReadOnlySequence<byte> first)
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
                return new ProblemException(RequestProblems.TooLarge(total, settings.MaxBodyBytes));
            }
        }

        return new ProblemException(RequestProblems.TooLarge(context.Request.ContentLength, settings.MaxBodyBytes));
    }

    private static bool IsJson(string? contentType)
    {
        const string Json = "application/json";
        return contentType is not null
            && contentType.StartsWith(Json, StringComparison.OrdinalIgnoreCase)
            && (contentType.Length == Json.Length || contentType[Json.Length] is ';' or ' ');
    }

    private static ReadOnlySequence<byte> WithoutMark(ReadOnlySequence<byte> body) =>
        body.FirstSpan.StartsWith(ByteOrderMark) ? body.Slice(ByteOrderMark.Length) : body;
}

namespace LoadTesting.Core.Http;

/// <summary>Why a request has no response that counts.</summary>
public enum HttpFault
{
    /// <summary>There is a response.</summary>
    None,

    /// <summary>The name was not resolved, or no address took the connection.</summary>
    ConnectFailed,

    /// <summary>The TLS handshake failed: certificate, name or protocol.</summary>
    TlsFailed,

    /// <summary>The whole response had not arrived in time.</summary>
    Timeout,

    /// <summary>The caller, or the end of the run, cancelled it.</summary>
    Cancelled,

    /// <summary>
    /// The connection ended before any of the response came, and the request may not be sent twice: it may or may not have had its effect.
    /// </summary>
    ConnectionClosed,

    /// <summary>The connection ended within the response.</summary>
    Truncated,

    /// <summary>Status line or headers are not HTTP/1.1.</summary>
    MalformedHead,

    /// <summary>Status line and headers are longer than allowed.</summary>
    HeadTooLarge,

    /// <summary>The length of the body is given in no valid way, or in two.</summary>
    InvalidLength,

    /// <summary>A chunk, its size or a trailer is not as RFC 9112 says.</summary>
    MalformedChunk,

    /// <summary>The body is longer than allowed.</summary>
    BodyTooLarge,

    /// <summary>A response that was not asked for: another protocol, or an unknown transfer coding.</summary>
    Unsupported,
}

/// <summary>Bytes that a request and its response took on a connection, before encryption.</summary>
internal readonly record struct MovedBytes(long Sent, long Received);

/// <summary>How a request ended: with a response, or with a fault and never with both. A value without allocations.</summary>
public readonly struct HttpReply
{
    // Three digits, so that no status makes a new text.
    private static readonly string[] s_statuses =
        [.. Enumerable.Range(0, 1_000).Select(status => status.ToString(CultureInfo.InvariantCulture))];

    private static readonly string[] s_faults =
        [.. Enum.GetNames<HttpFault>().Select(name => char.ToLowerInvariant(name[0]) + name[1..])];

    /// <summary>The response's status, 200 to 999; 0 where there is none.</summary>
    public int Status { get; private init; }

    public HttpFault Fault { get; private init; }

    /// <summary>What was wrong, in words; empty without a fault.</summary>
    public string Detail => Response.IsError && Fault != HttpFault.None ? Response.Message : "";

    /// <summary>Length of the body, without chunk sizes and trailers.</summary>
    public long BodyBytes { get; private init; }

    /// <summary>The body where the request keeps it. Valid until the worker's next request.</summary>
    public ReadOnlyMemory<byte> Body { get; private init; }

    /// <summary>
    /// Status line and headers where the request keeps the body. Valid as long as <see cref="Body"/>. Empty over HttpClient, which does not
    /// hand them out.
    /// </summary>
    public ReadOnlyMemory<byte> Head { get; private init; }

    /// <summary>Whether the server had closed the idle connection and the request, which is idempotent, was sent once more.</summary>
    public bool WasResent { get; private init; }

    /// <summary>
    /// What an iteration or a step returns: a success exactly where <see cref="IsSuccess"/>. Its sizes are those of the two messages on the
    /// connection, before encryption, with heads, sizes of chunks and trailers: <see cref="IResponse.SizeBytes"/> of the response and of
    /// informational ones before it, <see cref="IResponse.SentBytes"/> of the request, twice where it was sent again. Without a response
    /// both are 0: nobody knows how much went over.
    /// </summary>
    public IResponse Response { get; private init; }

    /// <summary>A response of 200 to 299, or 304. Redirections are not followed, and none is taken for success.</summary>
    public bool IsSuccess => Fault == HttpFault.None && IsGood(Status);

    /// <summary>The first header of that name, in any case; null where there is none or the request does not keep it.</summary>
    public string? Header(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        foreach (var line in Encoding.Latin1.GetString(Head.Span).Split("\r\n").Skip(1))
        {
            var colon = line.IndexOf(':', StringComparison.Ordinal);
            if (colon > 0 && line.AsSpan(0, colon).Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return line[(colon + 1)..].Trim(' ', '\t');
            }
        }

        return null;
    }

    /// <param name="moved">What went over the connection for it.</param>
    /// <param name="last">The response of the worker's request before: it is given back where it says the same.</param>
    internal static HttpReply Of(
        int status, long bodyBytes, MovedBytes moved, ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body, bool wasResent, IResponse? last)
    {
        var code = s_statuses[status];
        var response = last is not null && last.SizeBytes == moved.Received && last.SentBytes == moved.Sent
                && ReferenceEquals(last.StatusCode, code) ? last
            : IsGood(status) ? Load.Response.Ok(code, moved.Received, sentBytes: moved.Sent)
            : Load.Response.Fail(code, $"status {code}", moved.Received, sentBytes: moved.Sent);
        return new() { Status = status, BodyBytes = bodyBytes, Head = head, Body = body, WasResent = wasResent, Response = response };
    }

    internal static HttpReply Of(HttpFault fault, string detail, bool wasResent = false) =>
        new() { Fault = fault, WasResent = wasResent, Response = Load.Response.Fail(s_faults[(int)fault], detail) };

    private static bool IsGood(int status) => status is (>= 200 and < 300) or 304;
}

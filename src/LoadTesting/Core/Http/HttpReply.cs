namespace LoadTesting.Core.Http;

/// <summary>The result of a request: either a response or a fault. Does not allocate.</summary>
public readonly struct HttpReply
{
    // All statuses as text, so that none is allocated.
    private static readonly string[] s_statuses =
        [.. Enumerable.Range(0, 1_000).Select(status => status.ToString(CultureInfo.InvariantCulture))];

    private static readonly string[] s_faults =
        [.. Enum.GetNames<HttpFault>().Select(name => char.ToLowerInvariant(name[0]) + name[1..])];

    /// <summary>The response's status, 200 to 999; 0 without a response.</summary>
    public int Status { get; private init; }

    public HttpFault Fault { get; private init; }

    /// <summary>Description of the fault; empty without one.</summary>
    public string Detail => Response.IsError && Fault != HttpFault.None ? Response.Message : "";

    /// <summary>Length of the body, without chunk sizes and trailers.</summary>
    public long BodyBytes { get; private init; }

    /// <summary>The body, if the request keeps it. Valid until the worker's next request.</summary>
    public ReadOnlyMemory<byte> Body { get; private init; }

    /// <summary>
    /// Status line and headers, if the request keeps the body. Valid as long as <see cref="Body"/>. Empty over
    /// HttpClient, which does not provide them.
    /// </summary>
    public ReadOnlyMemory<byte> Head { get; private init; }

    /// <summary>
    /// Whether the server had closed the idle connection and the request, which is idempotent, was sent once more.
    /// </summary>
    public bool WasResent { get; private init; }

    /// <summary>
    /// The response for an iteration or a step: a success if <see cref="IsSuccess"/>. Its sizes are those of the
    /// messages on the connection before encryption, including heads, chunk sizes and trailers:
    /// <see cref="IResponse.SizeBytes"/> of the response and of informational responses,
    /// <see cref="IResponse.SentBytes"/> of the request, twice if it was resent. Both are 0 without a response.
    /// </summary>
    public IResponse Response { get; private init; }

    /// <summary>
    /// Whether the status is 200 to 299, or 304. Redirections are not followed and do not count as success.
    /// </summary>
    public bool IsSuccess => Fault == HttpFault.None && IsGood(Status);

    /// <summary>
    /// The first header with a name, ignoring case; null if there is none or the request does not keep the head.
    /// </summary>
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

    /// <param name="moved">Its bytes on the connection.</param>
    /// <param name="last">The response of the worker's previous request, which is reused if it is equal.</param>
    internal static HttpReply Of(
        int status, long bodyBytes, MovedBytes moved, ReadOnlyMemory<byte> head, ReadOnlyMemory<byte> body,
        bool wasResent, IResponse? last)
    {
        var code = s_statuses[status];
        var response = last is not null && last.SizeBytes == moved.Received && last.SentBytes == moved.Sent
                && ReferenceEquals(last.StatusCode, code) ? last
            : IsGood(status) ? Load.Response.Ok(code, moved.Received, sentBytes: moved.Sent)
            : Load.Response.Fail(code, $"status {code}", moved.Received, sentBytes: moved.Sent);
        return new() { Status = status, BodyBytes = bodyBytes, Head = head, Body = body, WasResent = wasResent,
            Response = response };
    }

    internal static HttpReply Of(HttpFault fault, string detail, bool wasResent = false) =>
        new() { Fault = fault, WasResent = wasResent, Response = Load.Response.Fail(s_faults[(int)fault], detail) };

    private static bool IsGood(int status) => status is (>= 200 and < 300) or 304;
}

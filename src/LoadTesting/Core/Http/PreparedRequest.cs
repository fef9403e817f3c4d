using System.Buffers;

namespace LoadTesting.Core.Http;

/// <summary>
/// A request that is encoded once and sent many times. Immutable: every <c>With</c> returns a new value. Refuses values
/// that could smuggle a second request into the connection.
/// </summary>
public sealed class PreparedRequest
{
    // The sender writes these itself; a second one would make the message ambiguous.
    private static readonly string[] s_ofSender =
    [
        "Host", "Connection", "Keep-Alive", "Content-Length", "Content-Type", "Transfer-Encoding", "TE", "Trailer",
        "Expect", "Upgrade",
    ];

    private static readonly string[] s_idempotent = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"];

    private static readonly SearchValues<char> s_token = SearchValues.Create(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    private readonly byte[] _line;
    private readonly byte[] _fields;
    private readonly bool _announcesLength;

    private PreparedRequest(
        string method, string target, IReadOnlyList<KeyValuePair<string, string>> headers, ReadOnlyMemory<byte> body,
        string? contentType,
        bool isBodyKept)
    {
        (Method, Target, Headers, Body, ContentType, IsBodyKept) =
            (method, target, headers, body, contentType, isBodyKept);
        _line = Encoding.ASCII.GetBytes($"{method} {target} HTTP/1.1\r\nHost: ");
        var fields = headers.Select(header => $"{header.Key}: {header.Value}\r\n");
        _fields = Encoding.ASCII.GetBytes(
            "\r\n" + string.Concat(fields) + (contentType is null ? "" : $"Content-Type: {contentType}\r\n"));
        _announcesLength = contentType is not null || method is "POST" or "PUT" or "PATCH";
        IsIdempotent = s_idempotent.Contains(method, StringComparer.Ordinal);
    }

    public string Method { get; }

    /// <summary>Path and query, as sent.</summary>
    public string Target { get; }

    /// <summary>The given headers. The sender adds Host and the headers of a body.</summary>
    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; }

    /// <summary>The body of calls without their own.</summary>
    public ReadOnlyMemory<byte> Body { get; }

    /// <summary>Content type of every body of this request; null if it has none.</summary>
    public string? ContentType { get; }

    /// <summary>
    /// Whether head and body of the response are kept for the caller. Default false: they are counted and dropped.
    /// </summary>
    public bool IsBodyKept { get; }

    /// <summary>Whether the request is idempotent (RFC 9110, 9.2.2).</summary>
    public bool IsIdempotent { get; }

    internal bool IsHead => Method == "HEAD";

    /// <param name="method">The method in capitals, such as GET.</param>
    /// <param name="target">Path and query, beginning with a slash, percent-encoded.</param>
    /// <exception cref="ArgumentException">A value contains invalid characters; the message names it.</exception>
    public static PreparedRequest Create(string method, string target)
    {
        ArgumentException.ThrowIfNullOrEmpty(method);
        ArgumentException.ThrowIfNullOrEmpty(target);
        if (method.AsSpan().ContainsAnyExcept(s_token) || method == "CONNECT")
        {
            throw new ArgumentException(
                $"'{Shown(method)}' is not a method that can be sent; give one such as GET or POST.", nameof(method));
        }

        if (target[0] != '/' || target.AsSpan().ContainsAnyExceptInRange('!', '~')
            || target.Contains('#', StringComparison.Ordinal))
        {
            throw new ArgumentException(
                $"'{Shown(target)}' is not a path with a query: it begins with '/', and spaces, '#' and characters "
                    + "beyond ASCII are percent-encoded (Uri.EscapeDataString).", nameof(target));
        }

        return new PreparedRequest(method, target, [], default, null, isBodyKept: false);
    }

    public static PreparedRequest Get(string target) => Create("GET", target);

    /// <inheritdoc cref="WithBody"/>
    public static PreparedRequest Post(
        string target, ReadOnlyMemory<byte> body, string contentType = "application/json") =>
        Create("POST", target).WithBody(body, contentType);

    /// <param name="name">A name that the sender does not write itself.</param>
    /// <param name="value">ASCII without line ends.</param>
    /// <exception cref="ArgumentException">A value contains invalid characters; the message names it.</exception>
    public PreparedRequest WithHeader(string name, string value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(value);
        if (name.AsSpan().ContainsAnyExcept(s_token))
        {
            throw new ArgumentException(
                $"'{Shown(name)}' is not a header name: letters, digits and - only.", nameof(name));
        }

        if (s_ofSender.Contains(name, StringComparer.OrdinalIgnoreCase))
        {
            throw new ArgumentException(
                $"The sender writes '{name}' itself; a body and its type are given by "
                    + "WithBody, the host by the address.", nameof(name));
        }

        return new(Method, Target, [.. Headers, new(name, Value(name, value))], Body, ContentType, IsBodyKept);
    }

    /// <param name="body">The body of calls without their own; must not change later. May be empty.</param>
    /// <param name="contentType">Content type of this body and of bodies given with a call.</param>
    public PreparedRequest WithBody(ReadOnlyMemory<byte> body, string contentType = "application/json")
    {
        ArgumentException.ThrowIfNullOrEmpty(contentType);
        return Method is "GET" or "HEAD" or "TRACE"
            ? throw new InvalidOperationException($"{Method} has no body; use POST, PUT, PATCH or DELETE.")
            : new(Method, Target, Headers, body, Value("Content-Type", contentType), IsBodyKept);
    }

    /// <summary>Keeps head and body of the response until the worker's next request.</summary>
    public PreparedRequest KeepingBody() => new(Method, Target, Headers, Body, ContentType, isBodyKept: true);

    /// <summary>Maximum number of bytes that <see cref="Write"/> needs.</summary>
    internal int SizeWith(ReadOnlySpan<byte> host, int bodyLength) =>
        _line.Length + host.Length + _fields.Length + bodyLength + 40;

    /// <summary>Writes the whole request.</summary>
    /// <returns>Its length.</returns>
    internal int Write(Span<byte> to, ReadOnlySpan<byte> host, ReadOnlySpan<byte> body)
    {
        if (body.Length > 0 && ContentType is null)
        {
            throw new InvalidOperationException(
                $"{Method} {Target} was given a body with the call and has no content type; prepare it with WithBody.");
        }

        var length = 0;
        Append(to, _line, ref length);
        Append(to, host, ref length);
        Append(to, _fields, ref length);
        if (_announcesLength)
        {
            Append(to, "Content-Length: "u8, ref length);
            _ = body.Length.TryFormat(to[length..], out var digits, default, CultureInfo.InvariantCulture);
            length += digits;
            Append(to, "\r\n"u8, ref length);
        }

        Append(to, "\r\n"u8, ref length);
        Append(to, body, ref length);
        return length;
    }

    private static void Append(Span<byte> to, ReadOnlySpan<byte> bytes, ref int length)
    {
        bytes.CopyTo(to[length..]);
        length += bytes.Length;
    }

    private static string Value(string name, string value)
    {
        var trimmed = value.Trim(' ', '\t');
        return trimmed.Any(letter => letter is not ('\t' or (>= ' ' and <= '~')))
            ? throw new ArgumentException(
                $"The value '{Shown(value)}' of header '{name}' holds a line end, "
                    + "a control character or one beyond ASCII; encode it.",
                nameof(value))
            : trimmed;
    }

    /// <summary>Text that is safe to show in a message.</summary>
    private static string Shown(string text) =>
        string.Concat(
            text.Take(80).Select(letter => letter is >= ' ' and <= '~' ? $"{letter}" : $"\\u{(int)letter:x4}"));
}

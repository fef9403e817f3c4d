namespace LoadTesting.Core.Http;

/// <summary>Why a request has no valid response.</summary>
public enum HttpFault
{
    /// <summary>There is a response.</summary>
    None,

    /// <summary>The name was not resolved, or no address accepted the connection.</summary>
    ConnectFailed,

    /// <summary>The TLS handshake failed: certificate, name or protocol.</summary>
    TlsFailed,

    /// <summary>The whole response had not arrived in time.</summary>
    Timeout,

    /// <summary>The caller, or the end of the run, cancelled it.</summary>
    Cancelled,

    /// <summary>
    /// The connection ended before any of the response came, and the request may not be sent twice: it may or may not
    /// have had its effect.
    /// </summary>
    ConnectionClosed,

    /// <summary>The connection ended within the response.</summary>
    Truncated,

    /// <summary>Status line or headers are not HTTP/1.1.</summary>
    MalformedHead,

    /// <summary>Status line and headers are longer than allowed.</summary>
    HeadTooLarge,

    /// <summary>The length of the body is invalid or ambiguous.</summary>
    InvalidLength,

    /// <summary>A chunk, its size or a trailer violates RFC 9112.</summary>
    MalformedChunk,

    /// <summary>The body is longer than allowed.</summary>
    BodyTooLarge,

    /// <summary>An unsupported response: another protocol, or an unknown transfer coding.</summary>
    Unsupported,
}

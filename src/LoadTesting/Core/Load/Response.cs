using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Load;

/// <summary>
/// Makes responses. As in NBomber, <c>Ok</c> takes the size before the message and <c>Fail</c> the message before the
/// size. A bare string is a status code; write <c>payload: "text"</c> to hand a string on.
/// </summary>
public static class Response
{
    private static readonly Response<object> s_ok = new(false, "", 0, "", null, null, 0);

    private static readonly Response<object> s_fail = new(true, "", 0, "", null, null, 0);

    /// <param name="statusCode">A short code to count by.</param>
    /// <param name="sizeBytes">Bytes moved, of a request those of the response's body; not negative.</param>
    /// <param name="message">Words for the reader.</param>
    /// <param name="endTimestamp">The end, if it was stamped elsewhere: a
    /// <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    /// <param name="sentBytes">Bytes of the body that a request sent; not negative.</param>
    [OverloadResolutionPriority(1)]
    public static Response<object> Ok(
        string statusCode = "", long sizeBytes = 0, string message = "", long? endTimestamp = null,
        long sentBytes = 0) =>
        statusCode.Length == 0 && sizeBytes == 0 && message.Length == 0 && endTimestamp is null && sentBytes == 0
            ? s_ok
            : new Response<object>(false, statusCode, sizeBytes, message, endTimestamp, null, sentBytes);

    /// <summary>Success with a payload for the next step.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    public static Response<T> Ok<T>(
        T payload, string statusCode = "", long sizeBytes = 0, string message = "", long? endTimestamp = null,
        long sentBytes = 0) =>
        new(false, statusCode, sizeBytes, message, endTimestamp, payload, sentBytes);

    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    [OverloadResolutionPriority(1)]
    public static Response<object> Fail(
        string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null,
        long sentBytes = 0) =>
        statusCode.Length == 0 && sizeBytes == 0 && message.Length == 0 && endTimestamp is null && sentBytes == 0
            ? s_fail
            : new Response<object>(true, statusCode, sizeBytes, message, endTimestamp, null, sentBytes);

    /// <summary>Failure of a step that would have produced a <typeparamref name="T"/>.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    public static Response<T> Fail<T>(
        string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null,
        long sentBytes = 0) =>
        new(true, statusCode, sizeBytes, message, endTimestamp, default, sentBytes);

    /// <summary>Failure that still carries a payload.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    public static Response<T> Fail<T>(
        T payload, string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null,
        long sentBytes = 0) =>
        new(true, statusCode, sizeBytes, message, endTimestamp, payload, sentBytes);
}

/// <summary>How a step ended, with what it produced. Made by <see cref="Response"/>.</summary>
/// <typeparam name="T">What the step hands to the next one.</typeparam>
public sealed class Response<T> : IResponse
{
    internal Response(
        bool isError, string statusCode, long sizeBytes, string message, long? endTimestamp, T? payload, long sentBytes)
    {
        ArgumentNullException.ThrowIfNull(statusCode);
        ArgumentNullException.ThrowIfNull(message);
        ArgumentOutOfRangeException.ThrowIfNegative(sizeBytes);
        ArgumentOutOfRangeException.ThrowIfNegative(sentBytes);
        (IsError, StatusCode, SizeBytes, SentBytes) = (isError, statusCode, sizeBytes, sentBytes);
        (Message, EndTimestamp, Payload) = (message, endTimestamp, payload);
    }

    public bool IsError { get; }
    public string StatusCode { get; }
    public long SizeBytes { get; }
    public long SentBytes { get; }
    public string Message { get; }
    public long? EndTimestamp { get; }

    /// <summary>What the step produced; default where it produced nothing.</summary>
    public T? Payload { get; }
}

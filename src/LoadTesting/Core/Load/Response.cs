using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Load;

/// <summary>How a step or an iteration ended.</summary>
public interface IResponse
{
    /// <summary>True where it failed; failed latencies are kept apart from successful ones.</summary>
    bool IsError { get; }

    /// <summary>
    /// A short code to count by, such as "200"; empty for none. Keep the set small: codes past the hundredth are counted as "other".
    /// </summary>
    string StatusCode { get; }

    /// <summary>Bytes moved, of a request those that its response took; 0 where nobody counts.</summary>
    long SizeBytes { get; }

    /// <summary>Bytes that a request took; 0 where nobody counts.</summary>
    long SentBytes => 0;

    /// <summary>Words on a failure; the first message of each status code reaches the result.</summary>
    string Message { get; }

    /// <summary>
    /// The end as a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value taken elsewhere, for example on the first line of an
    /// event consumer's callback; null where the end is the moment the body's task is seen to have ended.
    /// </summary>
    long? EndTimestamp { get; }
}

/// <summary>Makes responses. As in NBomber, <c>Ok</c> takes the size before the message and <c>Fail</c> the message before the size.
/// A bare string is a status code; write <c>payload: "text"</c> to hand a string on.</summary>
public static class Response
{
    private static readonly Response<object> s_ok = new(false, "", 0, "", null, null, 0);

    private static readonly Response<object> s_fail = new(true, "", 0, "", null, null, 0);

    /// <param name="statusCode">A short code to count by.</param>
    /// <param name="sizeBytes">Bytes moved, of a request those of the response's body; not negative.</param>
    /// <param name="message">Words for the reader.</param>
    /// <param name="endTimestamp">The end, if it was stamped elsewhere: a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/>
    /// value.</param>
    /// <param name="sentBytes">Bytes of the body that a request sent; not negative.</param>
    [OverloadResolutionPriority(1)]
    public static Response<object> Ok(
        string statusCode = "", long sizeBytes = 0, string message = "", long? endTimestamp = null, long sentBytes = 0) =>
        statusCode.Length == 0 && sizeBytes == 0 && message.Length == 0 && endTimestamp is null && sentBytes == 0
            ? s_ok
            : new Response<object>(false, statusCode, sizeBytes, message, endTimestamp, null, sentBytes);

    /// <summary>Success with a payload for the next step.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    public static Response<T> Ok<T>(
        T payload, string statusCode = "", long sizeBytes = 0, string message = "", long? endTimestamp = null, long sentBytes = 0) =>
        new(false, statusCode, sizeBytes, message, endTimestamp, payload, sentBytes);

    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    [OverloadResolutionPriority(1)]
    public static Response<object> Fail(
        string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null, long sentBytes = 0) =>
        statusCode.Length == 0 && sizeBytes == 0 && message.Length == 0 && endTimestamp is null && sentBytes == 0
            ? s_fail
            : new Response<object>(true, statusCode, sizeBytes, message, endTimestamp, null, sentBytes);

    /// <summary>Failure of a step that would have produced a <typeparamref name="T"/>.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    public static Response<T> Fail<T>(
        string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null, long sentBytes = 0) =>
        new(true, statusCode, sizeBytes, message, endTimestamp, default, sentBytes);

    /// <summary>Failure that still carries a payload.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?, long)"/>
    public static Response<T> Fail<T>(
        T payload, string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null, long sentBytes = 0) =>
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

/// <summary>Status codes that the engine itself gives, with NBomber's values.</summary>
public static class FailureCodes
{
    /// <summary>The body ended with an <see cref="OperationCanceledException"/>: a timeout.</summary>
    public const string OperationTimeout = "-100";

    /// <summary>The body ended with any other exception.</summary>
    public const string UnhandledException = "-101";

    /// <summary>The failure that an exception of a body becomes.</summary>
    public static Response<T> ResponseTo<T>(Exception exception) =>
        exception is OperationCanceledException
            ? Response.Fail<T>(OperationTimeout, $"operation timeout: {exception.Message}")
            : Response.Fail<T>(UnhandledException, $"{exception.GetType().Name}: {exception.Message}");
}

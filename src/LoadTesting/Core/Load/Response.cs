using System.Runtime.CompilerServices;

namespace LoadTesting.Core.Load;

/// <summary>Makes responses. As in NBomber, <c>Ok</c> takes the size before the message and <c>Fail</c> the message before the size.
/// A bare string is a status code; write <c>payload: "text"</c> to hand a string on.</summary>
public static class Response
{
    private static readonly Response<object> s_ok = new(false, "", 0, "", null, null);

    private static readonly Response<object> s_fail = new(true, "", 0, "", null, null);

    /// <summary>Success.</summary>
    /// <param name="statusCode">A short code to count by.</param>
    /// <param name="sizeBytes">Bytes moved; not negative.</param>
    /// <param name="message">Words for the reader.</param>
    /// <param name="endTimestamp">The end, if it was stamped elsewhere: a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value.</param>
    [OverloadResolutionPriority(1)]
    public static Response<object> Ok(string statusCode = "", long sizeBytes = 0, string message = "", long? endTimestamp = null) =>
        statusCode.Length == 0 && sizeBytes == 0 && message.Length == 0 && endTimestamp is null
            ? s_ok
            : new Response<object>(false, statusCode, sizeBytes, message, endTimestamp, null);

    /// <summary>Success with a payload for the next step.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?)"/>
    public static Response<T> Ok<T>(T payload, string statusCode = "", long sizeBytes = 0, string message = "", long? endTimestamp = null) =>
        new(false, statusCode, sizeBytes, message, endTimestamp, payload);

    /// <summary>Failure.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?)"/>
    [OverloadResolutionPriority(1)]
    public static Response<object> Fail(string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null) =>
        statusCode.Length == 0 && sizeBytes == 0 && message.Length == 0 && endTimestamp is null
            ? s_fail
            : new Response<object>(true, statusCode, sizeBytes, message, endTimestamp, null);

    /// <summary>Failure of a step that would have produced a <typeparamref name="T"/>.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?)"/>
    public static Response<T> Fail<T>(string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null) =>
        new(true, statusCode, sizeBytes, message, endTimestamp, default);

    /// <summary>Failure that still carries a payload.</summary>
    /// <inheritdoc cref="Ok(string, long, string, long?)"/>
    public static Response<T> Fail<T>(T payload, string statusCode = "", string message = "", long sizeBytes = 0, long? endTimestamp = null) =>
        new(true, statusCode, sizeBytes, message, endTimestamp, payload);
}

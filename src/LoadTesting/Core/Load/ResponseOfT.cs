namespace LoadTesting.Core.Load;

/// <summary>How a step ended, with what it produced. Made by <see cref="Response"/>.</summary>
/// <typeparam name="T">What the step hands to the next one.</typeparam>
public sealed class Response<T> : IResponse
{
    internal Response(bool isError, string statusCode, long sizeBytes, string message, long? endTimestamp, T? payload)
    {
        ArgumentNullException.ThrowIfNull(statusCode);
        ArgumentNullException.ThrowIfNull(message);
        ArgumentOutOfRangeException.ThrowIfNegative(sizeBytes);
        (IsError, StatusCode, SizeBytes, Message, EndTimestamp, Payload) = (isError, statusCode, sizeBytes, message, endTimestamp, payload);
    }

    /// <inheritdoc/>
    public bool IsError { get; }

    /// <inheritdoc/>
    public string StatusCode { get; }

    /// <inheritdoc/>
    public long SizeBytes { get; }

    /// <inheritdoc/>
    public string Message { get; }

    /// <inheritdoc/>
    public long? EndTimestamp { get; }

    /// <summary>What the step produced; default where it produced nothing.</summary>
    public T? Payload { get; }
}

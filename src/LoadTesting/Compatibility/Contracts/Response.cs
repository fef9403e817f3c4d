using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts;

/// <summary>How a step ended, with what it produced.</summary>
public sealed class Response<T> : IResponse
{
    public Response(string statusCode, bool isError, long sizeBytes, string message, Option<T> payload)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeBytes);
        (StatusCode, IsError, SizeBytes) = (statusCode ?? "", isError, sizeBytes);
        (Message, Payload) = (message ?? "", payload);
    }

    public string StatusCode { get; }
    public bool IsError { get; }
    public long SizeBytes { get; }
    public string Message { get; }

    /// <inheritdoc cref="IResponse.LatencyMs"/>
    public double LatencyMs { get; internal init; }

    /// <summary>What the step produced; null if it produced nothing.</summary>
    public Option<T> Payload { get; }

    internal long? EndTimestamp { get; init; }

    long? BuiltIn.IResponse.EndTimestamp => EndTimestamp;
}

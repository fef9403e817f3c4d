using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Contracts;

/// <summary>How a step or an iteration ended: a response of the built-in API, which the engine records as it is.</summary>
public interface IResponse : BuiltIn.IResponse
{
    /// <summary>What is recorded in place of the measured time, milliseconds; 0 for the measured time.</summary>
    double LatencyMs => 0;

    long? BuiltIn.IResponse.EndTimestamp => null;
}

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

    /// <summary>What the step produced; null where it produced nothing.</summary>
    public Option<T> Payload { get; }

    internal long? EndTimestamp { get; init; }

    long? BuiltIn.IResponse.EndTimestamp => EndTimestamp;
}

/// <summary>A value that is there; where there is none, the reference is null.</summary>
public sealed class Option<T>(T value)
{
    public T Value { get; } = value;

    public static Option<T> None => null;

    public static Option<T> Some(T value) => new(value);

    public override string ToString() => $"Some({Value})";
}

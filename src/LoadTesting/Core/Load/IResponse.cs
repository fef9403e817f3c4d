namespace LoadTesting.Core.Load;

/// <summary>How a step or an iteration ended.</summary>
public interface IResponse
{
    /// <summary>Whether it failed. Latencies of failures are recorded separately.</summary>
    bool IsError { get; }

    /// <summary>
    /// A short code such as "200", by which responses are counted; empty for none. Codes beyond the hundredth count as
    /// "other".
    /// </summary>
    string StatusCode { get; }

    /// <summary>Bytes of the response; 0 if unknown.</summary>
    long SizeBytes { get; }

    /// <summary>Bytes of the request; 0 if unknown.</summary>
    long SentBytes => 0;

    /// <summary>Description of a failure. The result contains the first message of each status code.</summary>
    string Message { get; }

    /// <summary>
    /// The end as a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value taken elsewhere, for example on the
    /// first line of an event consumer's callback; null to use the completion of the body's task.
    /// </summary>
    long? EndTimestamp { get; }
}

namespace LoadTesting.Core.Load;

/// <summary>How a step or an iteration ended.</summary>
public interface IResponse
{
    /// <summary>True where it failed; failed latencies are kept apart from successful ones.</summary>
    bool IsError { get; }

    /// <summary>A short code to count by, such as "200"; empty for none. Keep the set small: codes past the hundredth are counted as "other".</summary>
    string StatusCode { get; }

    /// <summary>Bytes moved, 0 where nobody counts.</summary>
    long SizeBytes { get; }

    /// <summary>Words on a failure; the first message of each status code reaches the result.</summary>
    string Message { get; }

    /// <summary>
    /// The end as a <see cref="System.Diagnostics.Stopwatch.GetTimestamp"/> value taken elsewhere, for example on the first line of an event
    /// consumer's callback; null where the end is the moment the body's task is seen to have ended.
    /// </summary>
    long? EndTimestamp { get; }
}

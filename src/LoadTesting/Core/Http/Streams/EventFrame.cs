namespace LoadTesting.Core.Http.Streams;

/// <summary>
/// A frame of a stream of server-sent events. Its spans are valid only during the call that passes it.
/// </summary>
public readonly ref struct EventFrame
{
    /// <summary>The id from which a stream resumes after this frame; empty if the frame has none.</summary>
    public ReadOnlySpan<byte> Id { get; init; }

    /// <summary>The event's name; empty if the frame has none.</summary>
    public ReadOnlySpan<byte> Type { get; init; }

    /// <summary>Its data; several lines are joined by line ends.</summary>
    public ReadOnlySpan<byte> Data { get; init; }

    /// <summary>Whether it is an event. A frame without data is not an event, but its id counts.</summary>
    public bool IsEvent { get; init; }
}

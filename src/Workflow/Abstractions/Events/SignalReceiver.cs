namespace Workflow.Abstractions.Events;

/// <summary>
/// Takes the signals of a name instead of an instance. Each is accepted durably, handed over, and then removed durably.
/// </summary>
public sealed record SignalReceiver
{
    public required string Name { get; init; }

    /// <summary>
    /// Called with correlation key and payload once the signal is durable and due. It may be called again for the same
    /// signal after a restart or an exception. Null does nothing: the signal is only consumed.
    /// </summary>
    public Func<string, Value, CancellationToken, ValueTask>? ReceiveAsync { get; init; }

    /// <summary>
    /// Calls before a signal becomes a dead letter, 1 or more. Default 10: with pauses of 50 ms that double up to 5 s,
    /// about 16 s. A restart begins to count anew.
    /// </summary>
    public int MaxAttempts { get; init; } = 10;
}

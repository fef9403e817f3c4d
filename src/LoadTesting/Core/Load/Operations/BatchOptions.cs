namespace LoadTesting.Core.Load.Operations;

/// <summary>Settings of a batch.</summary>
public sealed record BatchOptions
{
    /// <summary>
    /// Type of the event that ends an operation; null if the scenario calls <see cref="OperationBatch.Complete"/>.
    /// </summary>
    public string? CompletionEvent { get; init; }

    /// <summary>Number of requested operations; 0 if the batch ends after a time.</summary>
    public int Size { get; init; }

    /// <summary>How far ahead signals are due. Default: at once.</summary>
    public TimeSpan DueAfter { get; init; }

    /// <summary>
    /// Timeout of the wait for an event, from the operation's beginning or its due time. Default 30 s.
    /// </summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>When the system is idle. Default: once, at the end.</summary>
    public BatchShape Shape { get; init; } = BatchShape.Together;

    /// <summary>
    /// Waits until the system has finished a number of accepted operations. Returns the monotonic ticks of that moment.
    /// </summary>
    public required Func<long, CancellationToken, Task<long>> WaitForIdleAsync { get; init; }

    /// <summary>Whether an error means that the request has no effect. Default: never.</summary>
    public Func<Exception, bool> IsRefusal { get; init; } = _ => false;

    /// <summary>Prefix of the operations' keys, for several batches at the same time. Default: empty.</summary>
    public string KeyPrefix { get; init; } = "";
}

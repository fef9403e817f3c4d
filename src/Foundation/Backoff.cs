namespace Foundation;

/// <summary>
/// Pauses between attempts, each a factor longer than the one before, up to the longest. Not a pipeline of Polly's: that repeats one call
/// until it works, while most loops here hold a connection that may live for days and start again from the first pause once it worked, and
/// report the pause that comes. It would also bring a package to the engine and to the client, which have none of the kind.
/// </summary>
/// <param name="first">The first pause.</param>
/// <param name="longest">The longest pause, also of the first.</param>
/// <param name="time">Measures the pauses.</param>
/// <param name="factor">How much longer each pause is than the one before; from 1.</param>
public sealed class Backoff(TimeSpan first, TimeSpan longest, TimeProvider time, double factor = 2)
{
    /// <summary>How long the next pause is.</summary>
    public TimeSpan Next { get; private set; } = Shorter(first, longest);

    /// <summary>Takes the next pause.</summary>
    public Task PauseAsync(CancellationToken cancellationToken) => PauseAsync(longest, cancellationToken);

    /// <summary>Takes the next pause, or as much of it as is given.</summary>
    public Task PauseAsync(TimeSpan atMost, CancellationToken cancellationToken)
    {
        var pause = Shorter(Next, atMost);
        Next = Shorter(Next * factor, longest);
        return Task.Delay(pause, time, cancellationToken);
    }

    /// <summary>An attempt worked: the next pause is the first again.</summary>
    public void Reset() => Next = Shorter(first, longest);

    private static TimeSpan Shorter(TimeSpan left, TimeSpan right) => left < right ? left : right;
}

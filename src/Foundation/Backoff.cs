namespace Foundation;

/// <summary>
/// Pauses between attempts. Each pause is longer than the one before by a factor, up to a maximum. Polly does not fit:
/// a Polly pipeline repeats one call until it succeeds, while most loops here hold a connection for days, start again
/// from the first pause after a success, and report the next pause. Polly would also add a package to the engine and
/// the client.
/// </summary>
/// <param name="longest">The longest pause; it also limits the first one.</param>
/// <param name="factor">The factor from one pause to the next, 1 or more; 2 by default.</param>
public sealed class Backoff(TimeSpan first, TimeSpan longest, TimeProvider time, double factor = 2)
{
    /// <summary>How long the next pause is.</summary>
    public TimeSpan Next { get; private set; } = Shorter(first, longest);

    /// <summary>Takes the next pause.</summary>
    public Task PauseAsync(CancellationToken cancellationToken) => PauseAsync(longest, cancellationToken);

    /// <summary>Takes the next pause, limited to <paramref name="atMost"/>.</summary>
    public Task PauseAsync(TimeSpan atMost, CancellationToken cancellationToken)
    {
        var pause = Shorter(Next, atMost);
        Next = Shorter(Next * factor, longest);
        return Task.Delay(pause, time, cancellationToken);
    }

    /// <summary>Starts again from the first pause, after an attempt that succeeded.</summary>
    public void Reset() => Next = Shorter(first, longest);

    private static TimeSpan Shorter(TimeSpan left, TimeSpan right) => left < right ? left : right;
}

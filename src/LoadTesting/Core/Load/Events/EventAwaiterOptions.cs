namespace LoadTesting.Core.Load.Events;

public sealed record EventAwaiterOptions
{
    /// <summary>
    /// How long an event without a wait is kept for a later <see cref="EventAwaiter.Register"/>; then it counts as
    /// unmatched. Default 30 s.
    /// </summary>
    public TimeSpan EarlyRetention { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a matched or lost wait is remembered, so that further events count as duplicate or late instead of
    /// unmatched. Default 30 s; zero for not at all.
    /// </summary>
    public TimeSpan Memory { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Maximum delay after which a passed deadline is noticed. Default 10 ms. Does not affect measurements.
    /// </summary>
    public TimeSpan Resolution { get; init; } = TimeSpan.FromMilliseconds(10);

    /// <summary>
    /// Maximum number of waits, early events and remembered waits together; about 250 bytes each. Default 1,000,000.
    /// Beyond it <see cref="EventAwaiter.Register"/> throws, and events without a wait count as overflowed.
    /// </summary>
    public int MaximumEntries { get; init; } = 1_000_000;

    /// <summary>
    /// Maximum number of streams whose order is tracked. Default 10,000; events of further streams count as untracked.
    /// </summary>
    public int MaximumStreams { get; init; } = 10_000;

    internal void ThrowIfInvalid()
    {
        ThrowUnless(EarlyRetention > TimeSpan.Zero, nameof(EarlyRetention), EarlyRetention, "longer than zero");
        ThrowUnless(Memory >= TimeSpan.Zero, nameof(Memory), Memory, "not negative");
        ThrowUnless(Resolution >= TimeSpan.FromMilliseconds(1), nameof(Resolution), Resolution, "at least 1 ms");
        ThrowUnless(MaximumEntries >= 1, nameof(MaximumEntries), MaximumEntries, "at least 1");
        ThrowUnless(MaximumStreams >= 0, nameof(MaximumStreams), MaximumStreams, "not negative");
    }

    private static void ThrowUnless(bool isValid, string name, object value, string rule)
    {
        if (!isValid)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} is {value}; it is {rule}.");
        }
    }
}

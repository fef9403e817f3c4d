namespace LoadTesting.Core.Load.Events;

/// <summary>Settings of an <see cref="EventAwaiter"/>.</summary>
public sealed record EventAwaiterOptions
{
    /// <summary>How long an event that nobody waits for yet is kept for a later <see cref="EventAwaiter.Register"/>; then it is unmatched. Default 30 s.</summary>
    public TimeSpan EarlyRetention { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a matched or lost wait is remembered, so that a further event is told to be a duplicate or late and not unmatched.
    /// Default 30 s; zero: not at all.</summary>
    public TimeSpan Memory { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How much later than its deadline a wait may be found to be over. Default 10 ms. Does not touch what is measured.</summary>
    public TimeSpan Resolution { get; init; } = TimeSpan.FromMilliseconds(10);

    /// <summary>Waits, early events and remembered ones together; some 250 bytes each. Default 1,000,000. Past it <see cref="EventAwaiter.Register"/>
    /// throws and events without a waiter are counted as overflowed.</summary>
    public int MaximumEntries { get; init; } = 1_000_000;

    /// <summary>Streams whose order is followed. Default 10,000; events of further ones are counted as untracked.</summary>
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

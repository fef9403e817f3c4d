namespace Workflow.Stores.MongoDb;

/// <summary>Settings of notifications by the changes of the inbox. Not a record: it would print the password.</summary>
public sealed class MongoNotifierOptions
{
    /// <summary>The store's own connection string, with its database.</summary>
    public required string ConnectionString { get; init; }

    /// <summary>
    /// How many lanes the cluster has, 1 to 64: a change names a partition, and that decides the lane.
    /// </summary>
    public required int Lanes { get; init; }

    /// <summary>
    /// How long the server holds a look for changes when there are none; 0.1 to 10 s. Default 1 s. A change ends the
    /// wait at once.
    /// </summary>
    public TimeSpan AwaitTime { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// The longest pause before a stream is opened again after an error; the first is a tenth of a second, each next
    /// twice as long. Default 5 s.
    /// </summary>
    public TimeSpan LongestPause { get; init; } = TimeSpan.FromSeconds(5);

    internal void Check()
    {
        if (Lanes is < 1 or > 64)
        {
            throw new ArgumentException($"{nameof(Lanes)} is {Lanes}; it must be 1 to 64.", nameof(Lanes));
        }

        if (AwaitTime < TimeSpan.FromSeconds(0.1) || AwaitTime > TimeSpan.FromSeconds(10))
        {
            throw new ArgumentException(
                $"{nameof(AwaitTime)} is {AwaitTime}; it must be 0.1 to 10 s.", nameof(AwaitTime));
        }
    }
}

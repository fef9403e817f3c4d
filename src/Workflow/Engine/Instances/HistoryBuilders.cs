namespace Workflow.Engine.Instances;

/// <summary>
/// A pool of builders for the histories of open batches. Waiting instances, of which there may be a million, have no
/// builder; a changed instance takes one that another has returned. Thread-safe: lanes rent, the committer returns.
/// </summary>
internal static class HistoryBuilders
{
    /// <summary>
    /// The initial capacity: the characters that the steps of one commit usually write. With the default capacity, a
    /// builder grows to five objects.
    /// </summary>
    private const int InitialCapacity = 128;

    /// <summary>The maximum capacity of a pooled builder, in characters.</summary>
    private const int MaxCapacity = 1_024;

    /// <summary>The maximum size of the pool: the usual number of instances in the batches in flight.</summary>
    private const int MaxPooled = 1_024;

    private static readonly ConcurrentQueue<StringBuilder> Returned = new();
    private static int s_count;

    public static StringBuilder Rent()
    {
        if (!Returned.TryDequeue(out var builder))
        {
            return new(InitialCapacity);
        }

        Interlocked.Decrement(ref s_count);
        return builder;
    }

    public static void Return(StringBuilder builder)
    {
        if (builder.Capacity > MaxCapacity || Volatile.Read(ref s_count) >= MaxPooled)
        {
            return;
        }

        builder.Clear();
        Interlocked.Increment(ref s_count);
        Returned.Enqueue(builder);
    }
}

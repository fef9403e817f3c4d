namespace LoadTesting.Core.Load.Watches;

/// <summary>Cumulative times of a system under test, in seconds since a fixed moment; null if unknown.</summary>
public sealed record SystemSums
{
    /// <summary>Waits of all requests for a pooled connection.</summary>
    public double? PoolWaitSeconds { get; init; }

    /// <summary>Collector pauses.</summary>
    public double? GcPauseSeconds { get; init; }

    /// <summary>Work of the compiler on all threads.</summary>
    public double? CompilationSeconds { get; init; }

    /// <summary>Delivery of all events, from commit to the first line of the consumer.</summary>
    public double? DeliverySeconds { get; init; }

    /// <summary>Number of events in <see cref="DeliverySeconds"/>.</summary>
    public long Deliveries { get; init; }

    /// <summary>Work of the consumer on events.</summary>
    public double? ConsumerSeconds { get; init; }

    /// <summary>Number of events that the consumer handles at a time. Default 1.</summary>
    public int Consumers { get; init; } = 1;

    /// <summary>The difference to an earlier moment.</summary>
    public SystemSums Since(SystemSums earlier) => Combined(earlier, sign: -1);

    /// <summary>The sum of two periods; figures are null if one of them is unknown.</summary>
    public SystemSums Plus(SystemSums other) => Combined(other, sign: 1);

    private SystemSums Combined(SystemSums other, int sign) => this with
    {
        PoolWaitSeconds = PoolWaitSeconds + (sign * other.PoolWaitSeconds),
        GcPauseSeconds = GcPauseSeconds + (sign * other.GcPauseSeconds),
        CompilationSeconds = CompilationSeconds + (sign * other.CompilationSeconds),
        DeliverySeconds = DeliverySeconds + (sign * other.DeliverySeconds),
        Deliveries = Deliveries + (sign * other.Deliveries),
        ConsumerSeconds = ConsumerSeconds + (sign * other.ConsumerSeconds),
    };
}

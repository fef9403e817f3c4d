namespace LoadTesting.Core.Http.Streams;

/// <summary>Settings of event stream clients.</summary>
public sealed record EventStreamsOptions
{
    /// <summary>
    /// Clients that start to connect per second, on an absolute schedule: times count from the scheduled start. Default
    /// 1,000.
    /// </summary>
    public int OpenedPerSecond { get; init; } = 1_000;

    /// <summary>Timeout from connecting to the open stream, and to the first frame. Default 10 s.</summary>
    public TimeSpan OpenTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Consecutive failed reconnections after which a client gives up. Pauses between them grow from 50 ms. Default 5.
    /// </summary>
    public int MostFailures { get; init; } = 5;

    /// <summary>Maximum number of ordered streams in the system, such as partitions. Default 64.</summary>
    public int Streams { get; init; } = 64;

    /// <summary>Clock and timer of <see cref="OpenTimeout"/>.</summary>
    internal TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <exception cref="ArgumentException">A value is out of its range; the message lists all of them.</exception>
    internal void Validate()
    {
        var wrong = new List<string>();
        Check(OpenedPerSecond is >= 1 and <= 1_000_000,
            $"OpenedPerSecond {OpenedPerSecond} is not between 1 and 1000000");
        Check(OpenTimeout > TimeSpan.Zero && OpenTimeout <= TimeSpan.FromHours(1),
            $"OpenTimeout {OpenTimeout} is not between 0 and 1 h");
        Check(MostFailures >= 0, $"MostFailures {MostFailures} is negative");
        Check(Streams is >= 1 and <= 65_536, $"Streams {Streams} is not between 1 and 65536");
        if (wrong.Count > 0)
        {
            throw new ArgumentException($"The options of event streams cannot be used: {string.Join("; ", wrong)}.");
        }

        void Check(bool holds, string otherwise)
        {
            if (!holds)
            {
                wrong.Add(otherwise);
            }
        }
    }
}

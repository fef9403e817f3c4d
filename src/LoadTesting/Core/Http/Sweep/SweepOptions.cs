namespace LoadTesting.Core.Http.Sweep;

/// <summary>Settings of a sweep.</summary>
public sealed record SweepOptions
{
    /// <summary>The address that is fetched with GET.</summary>
    public required Uri Target { get; init; }

    /// <summary>The clients. The others are compared with the first.</summary>
    public required IReadOnlyList<SweepClient> Clients { get; init; }

    /// <summary>
    /// Numbers of connections, each with one request at a time; one step per number. Default 1 to 2,000.
    /// </summary>
    public IReadOnlyList<int> Workers { get; init; } = [1, 10, 50, 100, 200, 500, 1_000, 2_000];

    /// <summary>Number of rounds over all steps and clients; results are medians over them. Default 3.</summary>
    public int Rounds { get; init; } = 3;

    /// <summary>
    /// Duration of one client's measurement at one step of a round, after a warm-up of the same length but at most a
    /// second. Default 3 s; external clients need whole seconds.
    /// </summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>The process behind <see cref="Target"/>; null if it does not run on this machine.</summary>
    public int? ServiceProcessId { get; init; }

    /// <exception cref="ArgumentException">The message lists what is wrong.</exception>
    internal void Validate()
    {
        var wrong = new List<string>();
        if (Clients.Count == 0 || Clients.DistinctBy(client => client.Name).Count() != Clients.Count)
        {
            wrong.Add(
                $"clients '{string.Join(", ", Clients.Select(client => client.Name))}' are none, or one of them twice");
        }

        if (Workers.Count == 0 || Workers.Any(workers => workers is < 1 or > 60_000)
            || Workers.Distinct().Count() != Workers.Count)
        {
            wrong.Add($"workers '{string.Join(", ", Workers)}' are not different numbers from 1 to 60,000");
        }

        if (Rounds is < 1 or > 1_000)
        {
            wrong.Add($"{Rounds} rounds are not 1 to 1,000");
        }

        if (Duration < TimeSpan.FromMilliseconds(100) || Duration > TimeSpan.FromHours(1))
        {
            wrong.Add($"a duration of {Duration} is not between 100 ms and one hour");
        }
        else if (Duration.Ticks % TimeSpan.TicksPerSecond != 0 && Clients.Any(client => client.IsOutside))
        {
            wrong.Add($"a duration of {Duration} is not a whole number of seconds, which outside clients need");
        }

        if (wrong.Count > 0)
        {
            throw new ArgumentException($"The sweep cannot be made: {string.Join("; ", wrong)}.");
        }
    }
}

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>How a capacity is looked for, and what is comfortable. The defaults are those of the documentation; a result states those it used.</summary>
public sealed record CapacityOptions
{
    /// <summary>What an operation is called in sentences, in the plural. Default "operations".</summary>
    public string Unit { get; init; } = "operations";

    /// <summary>Length of the measured part of a rung. Default 5 s; 30 s where the figures are to be kept. Longer where <see cref="MinimumOperations"/> needs it.</summary>
    public TimeSpan Window { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>An open rung offers at least this many operations. Default 300.</summary>
    public int MinimumOperations { get; init; } = 300;

    /// <summary>Requests at a time of the closed rungs that come first: the greatest throughput of them is what the open ladder begins from, and seven of them carry
    /// a scalability fit. Default 1, 2, 4 .. 64.</summary>
    public IReadOnlyList<int> ClosedRungs { get; init; } = [1, 2, 4, 8, 16, 32, 64];

    /// <summary>The first open rung as a share of the greatest closed throughput, over 0 and below 1. Default 0.1.</summary>
    public double FirstShare { get; init; } = 0.1;

    /// <summary>From one open rung to the next, over 1. Default the square root of 2.</summary>
    public double Step { get; init; } = Math.Sqrt(2);

    /// <summary>Open rungs at most before the search gives up below the limit. Default 14, which goes up to 9 times the greatest closed throughput.</summary>
    public int MaximumRungs { get; init; } = 14;

    /// <summary>The bracket is halved until it reaches no further than this share to either side of its middle, over 0. Default 0.1.</summary>
    public double BracketShare { get; init; } = 0.1;

    /// <summary>Open: completed / offered in the window is at least this, 0 to 1. Default 0.98.</summary>
    public double MinimumCompletedShare { get; init; } = 0.98;

    /// <summary>Open: the number in flight grows, by the upper 95 % limit of its slope, by at most this share of the offered rate. Default 0.01.</summary>
    public double MaximumGrowthShare { get; init; } = 0.01;

    /// <summary>p95 is at most this many times the mean p95 of the two lowest rungs. Default 2.</summary>
    public double MaximumLatencyFactor { get; init; } = 2;

    /// <summary>p95 is at most this, in milliseconds, whatever the lowest rungs take. Default null: no objective.</summary>
    public double? ObjectiveMs { get; init; }

    /// <summary>Closed: the least throughput that doubling the requests at a time must add, as a share. Default 0.2.</summary>
    public double MinimumGain { get; init; } = 0.2;

    /// <summary>Throws when a value is out of range, naming each.</summary>
    /// <exception cref="ArgumentException">At least one is.</exception>
    internal void ThrowIfInvalid()
    {
        var violations = new List<string>();
        Require(Window > TimeSpan.Zero, $"{nameof(Window)} is {Window}; it is longer than zero.");
        Require(MinimumOperations >= 1, $"{nameof(MinimumOperations)} is {MinimumOperations}; it is at least 1.");
        Require(ClosedRungs.Count > 0 && ClosedRungs.All(rung => rung >= 1), $"{nameof(ClosedRungs)} is [{string.Join(", ", ClosedRungs)}]; it holds at least one number, each at least 1.");
        Require(FirstShare is > 0 and < 1, $"{nameof(FirstShare)} is {FirstShare}; it lies between 0 and 1.");
        Require(Step > 1 && double.IsFinite(Step), $"{nameof(Step)} is {Step}; it is over 1.");
        Require(MaximumRungs >= 3, $"{nameof(MaximumRungs)} is {MaximumRungs}; it is at least 3: two rungs set the latency that others are held to.");
        Require(BracketShare > 0, $"{nameof(BracketShare)} is {BracketShare}; it is over 0.");
        Require(MinimumCompletedShare is > 0 and <= 1, $"{nameof(MinimumCompletedShare)} is {MinimumCompletedShare}; it is over 0 and at most 1.");
        Require(MaximumGrowthShare > 0, $"{nameof(MaximumGrowthShare)} is {MaximumGrowthShare}; it is over 0.");
        Require(MaximumLatencyFactor > 1, $"{nameof(MaximumLatencyFactor)} is {MaximumLatencyFactor}; it is over 1.");
        Require(ObjectiveMs is null or > 0, $"{nameof(ObjectiveMs)} is {ObjectiveMs}; it is over 0, or null for none.");
        Require(MinimumGain is > 0 and < 1, $"{nameof(MinimumGain)} is {MinimumGain}; it lies between 0 and 1.");
        if (violations.Count > 0)
        {
            throw new ArgumentException(string.Join(Environment.NewLine, violations));
        }

        void Require(bool holds, string violation)
        {
            if (!holds)
            {
                violations.Add(violation);
            }
        }
    }
}

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>
/// Settings of a search for the capacity. The defaults are the documented ones; a result states the values that it
/// used.
/// </summary>
public sealed record CapacityOptions
{
    /// <summary>What an operation is called in sentences, in the plural. Default "operations".</summary>
    public string Unit { get; init; } = "operations";

    /// <summary>
    /// Length of the measured part of a load step. Default 5 s; 30 s where the figures are to be kept. Longer where
    /// <see cref="MinimumOperations"/> needs it.
    /// </summary>
    public TimeSpan Window { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>An open load step offers at least this many operations. Default 300.</summary>
    public int MinimumOperations { get; init; } = 300;

    /// <summary>
    /// Requests at a time of the closed load steps that come first. The open ladder begins from their greatest
    /// throughput. Default 1, 2, 4 .. 64.
    /// </summary>
    public IReadOnlyList<int> ClosedSteps { get; init; } = [1, 2, 4, 8, 16, 32, 64];

    /// <summary>
    /// The first open load step as a share of the greatest closed throughput, over 0 and below 1. Default 0.1.
    /// </summary>
    public double FirstShare { get; init; } = 0.1;

    /// <summary>
    /// The rate per second that must be carried: a limit whose whole bracket lies below it is a failure.
    /// Default null: none is known.
    /// </summary>
    public double? LeastPerSecond { get; init; }

    /// <summary>From one open load step to the next, over 1. Default the square root of 2.</summary>
    public double Step { get; init; } = Math.Sqrt(2);

    /// <summary>
    /// Open load steps at most before the search gives up below the limit. Default 14, which goes up to 9 times the
    /// greatest closed throughput.
    /// </summary>
    public int MaximumSteps { get; init; } = 14;

    /// <summary>
    /// The rate that a capacity falls short of, as a sentence; null if the capacity suffices or was not found.
    /// </summary>
    public string? ShortfallOf(CapacityResult result) =>
        result.Bracket?.High < LeastPerSecond
            ? $"the limit lies at {Figures.Rate(result.Bracket!.Low)} to {Figures.Rate(result.Bracket.High)} {Unit}/s, "
                + $"and {Figures.Rate(LeastPerSecond)}/s must be carried"
            : null;

    /// <summary>Throws if a value is out of range; the message names all violations.</summary>
    /// <exception cref="ArgumentException">At least one is.</exception>
    internal void ThrowIfInvalid()
    {
        var violations = new List<string>();
        Require(Window > TimeSpan.Zero, $"{nameof(Window)} is {Window}; it is longer than zero.");
        Require(MinimumOperations >= 1, $"{nameof(MinimumOperations)} is {MinimumOperations}; it is at least 1.");
        Require(ClosedSteps.Count > 0 && ClosedSteps.All(step => step >= 1),
            $"{nameof(ClosedSteps)} is [{string.Join(", ", ClosedSteps)}]; it holds at least one number, each at least 1.");
        Require(FirstShare is > 0 and < 1, $"{nameof(FirstShare)} is {FirstShare}; it lies between 0 and 1.");
        Require(LeastPerSecond
            is null or > 0, $"{nameof(LeastPerSecond)} is {LeastPerSecond}; it is over 0, or null for none.");
        Require(Step > 1 && double.IsFinite(Step), $"{nameof(Step)} is {Step}; it is over 1.");
        Require(MaximumSteps >= 3,
            $"{nameof(MaximumSteps)} is {MaximumSteps}; it is at least 3: two load steps set the latency that others are held to.");
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

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>How sure a change point has to be. The defaults are those whose false alarms and delays the tests measure.</summary>
public sealed record ChangePointOptions
{
    /// <summary>Values looked at together, at least 4. Default 50. A wider window sees smaller changes and blurs neighbouring ones.</summary>
    public int Window { get; init; } = 50;

    /// <summary>Greatest p of the t-test between two levels, above 0 and below 0.05. Default 0.0001.</summary>
    public double MaximumP { get; init; } = 0.0001;

    /// <summary>Smallest change of level worth telling, as a share of the smaller level, 0 or more. Default 0.03.</summary>
    public double MinimumMagnitude { get; init; } = 0.03;

    /// <summary>
    /// Values further than this many standard deviations (estimated as 1.4826 x median absolute deviation) from the median of their level
    /// are moved there, above 0. Default 4.
    /// </summary>
    public double Winsorised { get; init; } = 4;

    /// <summary>Distance of the points of both methods up to which they are one, in values, 0 or more. Default 2.</summary>
    public int Agreement { get; init; } = 2;

    /// <summary>The options themselves when they are in range.</summary>
    /// <exception cref="ArgumentException">Some are not; the message names each with its value and its range.</exception>
    internal ChangePointOptions Validated()
    {
        string?[] violations =
        [
            Window >= 4 ? null : $"{nameof(Window)} is {Window}; it must be at least 4",
            MaximumP is > 0 and < 0.05 ? null : $"{nameof(MaximumP)} is {MaximumP}; it must be above 0 and below 0.05",
            MinimumMagnitude >= 0 ? null : $"{nameof(MinimumMagnitude)} is {MinimumMagnitude}; it must be 0 or more",
            Winsorised > 0 ? null : $"{nameof(Winsorised)} is {Winsorised}; it must be above 0",
            Agreement >= 0 ? null : $"{nameof(Agreement)} is {Agreement}; it must be 0 or more",
        ];
        return violations.All(violation => violation is null) ? this : throw new ArgumentException(string.Join("; ", violations.OfType<string>()) + ".");
    }
}

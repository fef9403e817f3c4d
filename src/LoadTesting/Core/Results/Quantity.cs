namespace LoadTesting.Core.Results;

/// <summary>A number and what it counts, as reports write it: "1 operation", "12,000 operations".</summary>
public static class Quantity
{
    /// <param name="count">How many.</param>
    /// <param name="one">The noun for one.</param>
    /// <param name="many">The noun for any other number; the noun for one with an s when omitted.</param>
    public static string Of(long count, string one, string? many = null) =>
        $"{Figures.Count(count)} {Noun(count, one, many)}";

    /// <summary>The part of a whole: "1 of 12 operations".</summary>
    /// <inheritdoc cref="Of(long, string, string?)"/>
    public static string Of(long count, long all, string one, string? many = null) =>
        $"{Figures.Count(count)} of {Of(all, one, many)}";

    /// <summary>
    /// The noun alone, for a number that stands elsewhere; also the verb: <c>Noun(count, "is", "are")</c>.
    /// </summary>
    /// <inheritdoc cref="Of(long, string, string?)"/>
    public static string Noun(long count, string one, string? many = null) => count == 1 ? one : many ?? one + "s";
}

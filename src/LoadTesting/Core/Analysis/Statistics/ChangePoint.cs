namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>A place in a series from which on its level is another.</summary>
/// <param name="Index">Index of the first value of the new level.</param>
/// <param name="Before">Median of the level before, as far back as the point before this one.</param>
/// <param name="After">Median of the level from here on, as far as the next point.</param>
/// <param name="PValue">Two-sided p of the t-test between the two; null when only the second method sees the point.</param>
/// <param name="IsAgreed">Whether both methods see it; a point that only one sees is a reason to watch, not to act.</param>
public sealed record ChangePoint(int Index, double Before, double After, double? PValue, bool IsAgreed)
{
    /// <summary>The new level over the old; NaN when the old is 0.</summary>
    public double Ratio => Before == 0 ? double.NaN : After / Before;
}

namespace LoadTesting.Core.Analysis.Statistics;

/// <summary>A point at which the level of a series changes.</summary>
/// <param name="Index">Index of the first value of the new level.</param>
/// <param name="Before">Median from the previous change point to this one.</param>
/// <param name="After">Median from this change point to the next.</param>
/// <param name="PValue">Two-sided p of the t-test between the two; null when only the second method sees the
/// point.</param>
/// <param name="IsAgreed">Whether both methods see it; a point that only one sees is a reason to watch, not to
/// act.</param>
public sealed record ChangePoint(int Index, double Before, double After, double? PValue, bool IsAgreed)
{
    /// <summary>The new level over the old; NaN when the old is 0.</summary>
    public double Ratio => Before == 0 ? double.NaN : After / Before;
}

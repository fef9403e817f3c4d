namespace LoadTesting.Core.Analysis.Gating;

/// <summary>The error levels of one look.</summary>
/// <param name="Pairs">Pairs recorded at this look.</param>
/// <param name="RegressionLevel">One-sided error level of a regression.</param>
/// <param name="NoisyLevel">
/// The same where noise is many times the margin: the margin no longer keeps false alarms far below the level, so the
/// level has to.
/// </param>
/// <param name="ClearanceLevel">One-sided error level of a pass.</param>
/// <param name="IsSequential">Whether there are more looks.</param>
internal sealed record GateLook(
    int Pairs, double RegressionLevel, double NoisyLevel, double ClearanceLevel, bool IsSequential)
{
    /// <summary>Worse by more than this share is a regression.</summary>
    public double MarginOf(TimeRule rule) => IsSequential ? rule.SequentialMargin : rule.Margin;

    /// <summary>Worse by less than this share is not a regression.</summary>
    public double ToleranceOf(TimeRule rule) => IsSequential ? rule.SequentialTolerance : TimeRule.MaxMargin;
}

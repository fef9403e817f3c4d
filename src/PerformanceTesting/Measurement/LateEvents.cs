namespace PerformanceTesting.Measurement;

/// <summary>
/// The events of a run that come after its verdict. An event that comes a second time only then is a duplicate all the
/// same.
/// </summary>
internal sealed record LateEvents(MeasuredRun Run, EventAwaiter Awaiter)
{
    /// <summary>The changed result, with its verdict; null if no more events came.</summary>
    public ScenarioResult? ResultNow()
    {
        var total = Run.Total;
        var more = Awaiter.Snapshot().Duplicate - Run.Evidence.Events.Duplicate;
        var warmUp = Run.Evidence.WarmUp?.Total();
        var moreOfWarmUp = warmUp?.Duplicate - total.WarmUp?.Duplicate ?? 0;
        if (more <= 0 && moreOfWarmUp <= 0)
        {
            return null;
        }

        string[] reasons =
        [
            .. total.Verdict.Outcome == VerdictOutcome.Failed ? total.Verdict.Reasons : [],
            .. more > 0
                ? [$"{Quantity.Of(more, "event")} came a second time after the verdict of the run"]
                : Array.Empty<string>(),
            .. moreOfWarmUp > 0
                ? [$"{Quantity.Of(moreOfWarmUp, "event")} of the warm-up came a second time "
                    + "after the verdict of the run"]
                : Array.Empty<string>(),
        ];
        return DrivenPart.WithoutVerdict(total with
        {
            Ledger = total.Ledger! with { Duplicate = total.Ledger.Duplicate + Math.Max(0, more) },
            WarmUp = warmUp,
            Verdict = new(VerdictOutcome.Failed, reasons),
        });
    }
}

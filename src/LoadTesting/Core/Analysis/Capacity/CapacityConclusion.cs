using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Capacity;

/// <summary>Concludes a search: the bracket, the limiting resource, and the sentence.</summary>
internal sealed class CapacityConclusion(CapacityOptions options)
{
    internal CapacityResult Of(
        CapacityResult result, IReadOnlyList<LoadStepResult> closed, IReadOnlyList<LoadStepResult> open)
    {
        var ladder = ClosedLadder.Judge(closed);
        var final = open.GroupBy(step => step.OfferedPerSecond!.Value).OrderBy(group => group.Key)
            .Select(group => group.MaxBy(step => step.Attempt)!).ToList();
        var comfortable = final.TakeWhile(step => step.Comfortable).LastOrDefault();
        var pressure = final.Find(step => !step.Comfortable);
        result = result with
        {
            Closed = ladder,
            Open = open.Count == 0 ? null : new LadderResult
            {
                Criteria = LoadStepJudge.OpenCriteria,
                Steps = [.. open.OrderBy(step => step.OfferedPerSecond).ThenBy(step => step.Attempt)],
                LastComfortable = comfortable?.OfferedPerSecond,
                FirstPressure = pressure?.OfferedPerSecond,
            },
        };
        result = WithBracket(result);
        result = WithLimits(result, comfortable, pressure);
        string[] notes = pressure is null
            ? [.. result.Notes]
            : [.. result.Notes, $"Under pressure at {Rate(pressure.OfferedPerSecond)}/s: "
                + $"{string.Join("; ", pressure.Reasons)}."];
        return result with { Sentence = Sentence(result, pressure), Notes = notes };
    }

    private static CapacityResult WithBracket(CapacityResult result) =>
        result is { Outcome: CapacityOutcome.Found, Open: { LastComfortable: { } low, FirstPressure: { } high } }
            ? result with { Bracket = new IntervalResult(low, high), LimitPerSecond = Math.Sqrt(low * high) }
            : result;

    private CapacityResult WithLimits(CapacityResult result, LoadStepResult? comfortable, LoadStepResult? pressure)
    {
        if (comfortable is null)
        {
            return result;
        }

        var bounds = UtilisationLaw.Bounds(comfortable);
        if (bounds.Count == 0)
        {
            return result
                with { Notes = [.. result.Notes, "What limits is null: the demand of no resource was measured."] };
        }

        var (boundBy, next) = result.LimitPerSecond is { } limit 
            ? UtilisationLaw.Attribute(
                bounds, limit, pressure is not null && LoadStepJudge.FallsBehind(pressure), comfortable.Waits)
            : (null, null);
        return result with { Bounds = bounds, BoundBy = boundBy, NextLimit = next };
    }

    private string Sentence(CapacityResult result, LoadStepResult? pressure) => result.Outcome switch
    {
        CapacityOutcome.Found => Text(
            $"Limit {Rate(result.LimitPerSecond)} {options.Unit}/s (bracket {Figures.Bracket(result.Bracket!)})")
            + (result.BoundBy is { } bound ? $", bound by {bound}" : "")
            + (result.NextLimit is { } next ? $"; next limit {next}." : "."),
        CapacityOutcome.GeneratorLimited =>
            Text($"No capacity: the load generator was the limit at {Rate(pressure?.OfferedPerSecond)} "
            + $"{options.Unit}/s ({pressure?.GeneratorEvidence?[0]})")
            + (result.Open?.LastComfortable is { } carried
                ? $"; {Rate(carried)}/s were carried comfortably."
                : "; no load step was comfortable."),
        CapacityOutcome.NotReached => $"The limit was not reached: {Rate(result.Open?.LastComfortable)} "
            + $"{options.Unit}/s, the highest load step, were carried comfortably.",
        CapacityOutcome.NothingComfortable => pressure is null
            ? "No capacity: nothing completed on any closed load step."
            : $"No capacity: the lowest load step, {Rate(pressure.OfferedPerSecond)} {options.Unit}/s, was under "
                + $"pressure already ({pressure.Reasons[0]}).",
        _ => LadderSentence(result.Closed!),
    };

    private string LadderSentence(LadderResult ladder)
    {
        string Named(double? concurrency) =>
            ladder.Steps.First(step => step.Concurrency == concurrency) is var step
                ? $"c{concurrency:0} ({Rate(step.ThroughputPerSecond)} {options.Unit}/s)"
                : "";
        return (ladder.LastComfortable, ladder.FirstPressure) switch
        {
            (null, { } pressure) => $"No load step is comfortable: {Named(pressure)} is under pressure already.",
            ({ } last, null) => $"Every load step is comfortable up to {Named(last)}.",
            var (last,
                pressure) => $"Last comfortable load step {Named(last)}, first pressure load step {Named(pressure)}: "
                + $"{ladder.Steps.First(step => step.Concurrency == pressure).Reasons[0]}.",
        };
    }

    private static string Rate(double? value) => Figures.Rate(value);
}

using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// Divides the mean response time R among resources and ranks them, as database monitors do that charge time instead of counting events (Oracle's
/// ADDM; the USE method for what to look at). Each resource is charged with what an operation was measured to spend in it. What is left of R is
/// queueing: it is charged to the resource that is full and holds operations longest, since that is what they queue for; where none is full, to the
/// service's own queue as far as the service measured one; the rest is unexplained.
/// </summary>
public static class FindingRules
{
    /// <summary>Judges what was measured.</summary>
    /// <param name="inputs">What was measured.</param>
    /// <param name="limits">From where on a resource is guilty; the defaults when omitted.</param>
    /// <exception cref="ArgumentOutOfRangeException">A duration, response time or number of processors that is not over 0.</exception>
    public static FindingsResult Judge(FindingInputs inputs, FindingLimits? limits = null)
    {
        ArgumentNullException.ThrowIfNull(inputs);
        limits ??= new FindingLimits();
        if (inputs.Completed == 0 || inputs.ResponseSeconds is not { } response)
        {
            const string Reason = "No operation completed, so there is no response time to divide up.";
            return new FindingsResult { Resources = [.. ResourceNames.All.Select(name => Told(new Examination(name, Reason), ResourceState.NotExamined))] };
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(response, nameof(inputs.ResponseSeconds));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(inputs.DurationSeconds, nameof(inputs.DurationSeconds));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(inputs.Cores, nameof(inputs.Cores));
        var sweep = new ResourceSweep(inputs, limits, response).Examine();
        var charged = ChargeQueueing(sweep, inputs, limits, response);
        var guilty = charged.Where(e => e.Reason is null && (e.IsGuiltyAnyway || e.Impact >= limits.GuiltyShare * response)).ToList();
        return new FindingsResult
        {
            ResponseSeconds = response,
            UnexplainedSeconds = Math.Max(0, response - charged.Sum(e => e.Impact)),
            Ranked = [.. guilty.OrderByDescending(e => e.Impact).Select((e, index) => Finding(e, index + 1, inputs, limits, response))],
            Resources =
            [
                .. charged.Select(e => Told(
                    e, e.Reason is not null ? ResourceState.NotExamined : guilty.Contains(e) ? ResourceState.Guilty : ResourceState.Exonerated)),
            ],
        };
    }

    private static IReadOnlyList<Examination> ChargeQueueing(IReadOnlyList<Examination> sweep, FindingInputs inputs, FindingLimits limits, double response)
    {
        var queueing = Math.Max(0, response - sweep.Sum(e => e.Seconds));
        var payer = sweep.Where(e => e.HasUnseenQueue && e.Utilisation >= limits.FullUtilisation).MaxBy(e => e.Seconds);
        if (payer is null && inputs.QueueWaitSeconds is { } wait)
        {
            payer = sweep.Single(e => e.Resource == ResourceNames.ServiceQueue);
            queueing = Math.Min(queueing, wait);
        }

        if (payer is null || queueing <= 0)
        {
            return sweep;
        }

        var what = payer.Utilisation is { } busy
            ? $"It is full ({Figures.Percent(busy)} busy), so {Figures.Ms(1000 * queueing)} ms that were measured nowhere count as queueing for it."
            : $"No resource is full, so {Figures.Ms(1000 * queueing)} ms of that count as the queue's own.";
        return [.. sweep.Select(e => e == payer ? e with { QueueingSeconds = queueing, Evidence = [.. e.Evidence, what] } : e)];
    }

    private static FindingResult Finding(Examination examined, int rank, FindingInputs inputs, FindingLimits limits, double response) => new()
    {
        Rank = rank,
        Resource = examined.Resource,
        ImpactSecondsPerOperation = examined.Impact,
        ShareOfResponseTime = Math.Min(1, examined.Impact / response),
        Evidence = examined.Evidence,
        Suggestion = Suggestions.For(examined.Resource),
        Confidence = inputs.Completed < limits.MinimumCompleted || examined.IsDisturbed || examined.Impact <= 0 ? FindingConfidence.Low
            : examined.QueueingSeconds > examined.Seconds ? FindingConfidence.Medium
            : FindingConfidence.High,
    };

    private static ResourceResult Told(Examination examined, ResourceState state) => new()
    {
        Resource = examined.Resource,
        State = state,
        ImpactSecondsPerOperation = examined.Reason is null ? examined.Impact : null,
        Utilisation = examined.Utilisation,
        LimitPerSecond = examined.LimitPerSecond,
        Evidence = examined.Reason is { } reason ? [reason] : examined.Evidence,
    };
}

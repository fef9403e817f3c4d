using static LoadTesting.Core.Load.Invariant;

namespace LoadTesting.Core.Analysis.Findings;

/// <summary>
/// Divides the mean response time among resources and ranks them, as database monitors do that charge time instead of
/// counting events (Oracle's ADDM; Gregg's USE method for what to look at; Little's law for the average number in each
/// place). Stalls are taken out first. Each resource is charged with what an operation was measured to spend in it, and
/// is a finding only where nothing speaks against it. What is left is queueing, charged to the resource that is full;
/// else to the service's own queue as far as the service measured one; the rest is unexplained. If everything was
/// examined and most of the time is in none of it, the service itself waits for something.
/// </summary>
public static class FindingRules
{
    /// <param name="inputs">What was measured.</param>
    /// <exception cref="ArgumentOutOfRangeException">A duration, response time or number of processors that is not over
    /// 0.</exception>
    public static FindingsResult Judge(FindingInputs inputs)
    {
        if (inputs.Completed == 0 || inputs.ResponseSeconds is not { } response)
        {
            return Unexamined("No operation completed, so there is no response time to divide up.", null);
        }

        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(response, nameof(inputs.ResponseSeconds));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(inputs.DurationSeconds, nameof(inputs.DurationSeconds));
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(inputs.Cores, nameof(inputs.Cores));
        if (inputs.Completed < FindingLimits.MinimumCompleted)
        {
            return Unexamined(
                Text($"{inputs.Completed} operations completed; resources are ranked from {FindingLimits.MinimumCompleted} on."), response);
        }

        var whole = FindingSpan.SumOf(inputs.Spans);
        if (whole.Seconds <= 0)
        {
            return Unexamined("Processes and waits were not watched while the load ran.", response);
        }

        var stalls = Stalls(inputs, response);
        var rest = response - stalls.Seconds;
        IReadOnlyList<ResourceExamination> charged = rest <= 0
            ? [stalls]
            : [stalls, .. Divide(inputs, whole, rest, FindingLimits.MinimumLooks)];
        var ranked = charged.Where(e => IsFinding(e, response))
            .OrderByDescending(e => e.Resource == ResourceNames.Stalls).ThenByDescending(e => e.Impact).ToList();
        var windows = rest <= 0 ? [] : Windows(inputs, whole, rest);
        var findings = ranked.Select((e, index) => Finding(e, index + 1, inputs, whole, response, windows)).ToList();
        var unexplained = Math.Max(0, response - charged.Sum(e => e.Impact));
        return new FindingsResult
        {
            ResponseSeconds = response,
            UnexplainedSeconds = unexplained,
            Conclusion = Conclude(findings, charged, response, unexplained),
            Ranked = findings,
            Resources =
            [
                .. charged.OrderBy(e => ResourceNames.PlaceOf(e.Resource)).Select(e => Described(
                    e, e.Reason is not null ? ResourceState.NotExamined : ranked.Contains(e) ? ResourceState.Guilty
                        : ResourceState.Exonerated)),
            ],
        };
    }

    private static FindingsResult Unexamined(string reason, double? response) => new()
    {
        ResponseSeconds = response,
        UnexplainedSeconds = response,
        Conclusion = reason,
        Resources = [
            .. ResourceNames.All
                .Select(name => Described(new ResourceExamination(name, reason), ResourceState.NotExamined))],
    };

    private static bool IsFinding(ResourceExamination examined, double response) => examined.Reason is null
        && (examined.IsAlwaysRanked
            || (examined.CounterEvidence is null && examined.Impact >= FindingLimits.MinShare * response));

    /// <summary>
    /// Time that operations lost to stalls: the number in flight times the length, half of it if operations keep
    /// arriving.
    /// </summary>
    private static ResourceExamination Stalls(FindingInputs inputs, double response)
    {
        if (inputs.Stalls.Count == 0)
        {
            return new(ResourceNames.Stalls) { Evidence = ["There was no time in which nothing completed."] };
        }

        var lost = inputs.Stalls.Sum(stall => stall.Iterations * stall.DurationMs / 1000 / (inputs.IsOpen ? 2 : 1));
        var longest = inputs.Stalls.MaxBy(stall => stall.DurationMs)!;
        var waits = longest.Waits is { Count: > 0 } seen
            ? $" Sessions of the backend meanwhile: {string.Join(", ", seen.Select(wait => Text($"{wait.Key} {wait.Value:0.00}")))}."
            : "";
        return new(ResourceNames.Stalls)
        {
            Seconds = Math.Min(response, lost / inputs.Completed),
            Utilisation = Math.Min(1, inputs.Stalls.Sum(stall => stall.DurationMs) / 1000 / inputs.DurationSeconds),
            IsAlwaysRanked = longest.DurationMs >= StallResult.LongMs,
            Cap = longest.Cause == StallCause.Unknown ? FindingConfidence.Low : FindingConfidence.High,
            Evidence =
            [
                Text($"Nothing completed in {Quantity.Of(inputs.Stalls.Count, "stall")} of together ")
                    + Text($"{inputs.Stalls.Sum(stall => stall.DurationMs) / 1000:0.00} s; the longest took ")
                    + Text($"{longest.DurationMs / 1000:0.00} s from {longest.AtMs / 1000:0.0} s on, and is {Whose(longest.Cause)}.") + waits,
            ],
        };
    }

    private static string Whose(StallCause cause) => cause switch
    {
        StallCause.System => "the system's: neither generator nor machine explains it",
        StallCause.Generator => "the generator's",
        StallCause.Machine => "the machine's",
        _ => "of unknown cause",
    };

    /// <summary>Every resource with its part of the response time.</summary>
    private static IReadOnlyList<ResourceExamination> Divide(
        FindingInputs inputs, FindingSpan span, double response, int minimumLooks)
    {
        var share = span.Seconds / inputs.Spans.Sum(each => each.Seconds);
        var sweep = new ResourceSweep(inputs, span, response, inputs.Completed * share, minimumLooks).Examine();
        var charged = ChargeQueueing(sweep, inputs, response);
        return [.. charged, Elimination(charged, response)];
    }

    private static IReadOnlyList<ResourceExamination> ChargeQueueing(
        IReadOnlyList<ResourceExamination> sweep, FindingInputs inputs, double response)
    {
        var queueing = Math.Max(0, response - sweep.Sum(e => e.Seconds));
        var payer = sweep.Where(e => e.IsFull).MaxBy(e => e.Seconds);
        if (payer is { Utilisation: { } busy } && inputs.IsOpen)
        {
            // Arrivals by a schedule wait no longer than a queue at this load makes them: S * rho / (1 - rho),
            // Kleinrock 1975.
            queueing = Math.Min(queueing, payer.Seconds * busy / Math.Max(0.01, 1 - busy));
        }

        if (payer is { Resource: ResourceNames.WalFlush } || (payer is null && inputs.QueueWaitSeconds is not null))
        {
            payer ??= sweep.Single(e => e.Resource == ResourceNames.ServiceQueue);
            queueing = Math.Min(queueing, inputs.QueueWaitSeconds ?? queueing);
        }

        if (payer is null || queueing <= 0)
        {
            return sweep;
        }

        var what = payer.IsFull
            ? $"It is full, so {Figures.Ms(1000 * queueing)} ms that were measured nowhere count as queueing for it."
            : $"No resource is full, so {Figures.Ms(1000 * queueing)} ms of that count as the queue's own.";
        return
        [
            .. sweep.Select(e => e == payer
                ? e with
                {
                    QueueingSeconds = queueing, Evidence = [.. e.Evidence, what],
                    Cap = queueing > e.Seconds && e.Resource != ResourceNames.ServiceQueue && inputs.IsOpen
                        ? FindingConfidence.Medium : e.Cap,
                }
                : e),
        ];
    }

    /// <summary>
    /// If every resource was examined and none holds most of the time, the service itself is waiting.
    /// </summary>
    private static ResourceExamination Elimination(IReadOnlyList<ResourceExamination> charged, double response)
    {
        var left = Math.Max(0, response - charged.Sum(e => e.Impact));
        var unknown = charged.Where(e => e.Reason is not null && !e.IsAbsent).Select(e => e.Resource).ToList();
        if (unknown.Count > 0)
        {
            return new(
                ResourceNames.ServiceWaits,
                $"It is what remains once everything else was examined, and this was not: {string.Join(", ", unknown)}.");
        }

        return new(ResourceNames.ServiceWaits)
        {
            Seconds = left < FindingLimits.WaitFloorSeconds || left < FindingLimits.HighShare * response
                || charged.Any(e => e.IsFull)
                ? 0
                : left,
            Cap = FindingConfidence.Medium,
            Evidence =
            [
                $"{Figures.Ms(1000 * left)} ms of {Figures.Ms(1000 * response)} ms are in no "
                    + "resource, though each was examined.",
            ],
        };
    }

    /// <summary>The same rules for each part of the run: a real cause shows in most parts.</summary>
    private static IReadOnlyList<IReadOnlyList<ResourceExamination>> Windows(
        FindingInputs inputs, FindingSpan whole, double response)
    {
        var count = (int)Math.Min(FindingLimits.MaxWindows, whole.Seconds / FindingLimits.ShortestWindowSeconds);
        if (count < 2)
        {
            return [];
        }

        var windows = Enumerable.Range(0, count).Select(_ => new List<FindingSpan>()).ToList();
        var at = 0.0;
        foreach (var span in inputs.Spans)
        {
            windows[Math.Min(count - 1, (int)((at + (span.Seconds / 2)) / whole.Seconds * count))].Add(span);
            at += span.Seconds;
        }

        return
        [
            .. windows.Where(window => window.Sum(span => span.Seconds) >= FindingLimits.MinimumProcessorSeconds)
                .Select(window => Divide(inputs, FindingSpan.SumOf(window), response, minimumLooks: 1)),
        ];
    }

    private static FindingResult Finding(
        ResourceExamination examined, int rank, FindingInputs inputs, FindingSpan whole, double response,
        IReadOnlyList<IReadOnlyList<ResourceExamination>> windows)
    {
        var share = Math.Min(1, examined.Impact / response);
        var agree = windows.Count(window => window.Any(e => e.Resource == examined.Resource
            && e.Reason is null && e.CounterEvidence is null && e.Impact >= examined.Impact / 2));
        var isStall = examined.Resource == ResourceNames.Stalls;
        List<(FindingConfidence Most, string? Why)> caps =
        [
            (examined.Cap, null),
            share >= FindingLimits.HighShare ? (FindingConfidence.High, null)
                : share >= FindingLimits.MediumShare ? (FindingConfidence.Medium, null) : (FindingConfidence.Low, null),
        ];
        if (!isStall)
        {
            caps.Add(Agreement(agree, windows.Count));
        }

        if (!isStall && examined.Resource != ResourceNames.OtherProcesses)
        {
            caps.Add(OthersCap(inputs, whole));
        }

        return new FindingResult
        {
            Rank = rank,
            Resource = examined.Resource,
            ImpactSecondsPerOperation = examined.Impact,
            ShareOfResponseTime = share,
            Evidence = [.. examined.Evidence, .. caps.Select(cap => cap.Why).OfType<string>()],
            Suggestion = Suggestions.For(examined.Resource),
            Confidence = caps.Min(cap => cap.Most),
        };
    }

    private static (FindingConfidence Most, string? Why) Agreement(int agree, int windows)
    {
        var share = windows == 0 ? 0 : (double)agree / windows;
        var most = windows < FindingLimits.MinWindows
            ? (share >= FindingLimits.AgreementForMedium ? FindingConfidence.Medium : FindingConfidence.Low)
            : share >= FindingLimits.AgreementForHigh ? FindingConfidence.High
            : share >= FindingLimits.AgreementForMedium ? FindingConfidence.Medium
            : FindingConfidence.Low;
        return (most, windows == 0
            ? "The run was too short to be cut into windows that could agree."
            : Text($"{agree} of {windows} windows of the run agree."));
    }

    private static (FindingConfidence Most, string? Why) OthersCap(FindingInputs inputs, FindingSpan whole)
    {
        if (whole.MachineCpuSeconds is not { } machine)
        {
            return (FindingConfidence.Medium, "What others used of the machine was not measured.");
        }

        var own = (whole.Service?.CpuSeconds ?? 0) + (whole.Database?.CpuSeconds ?? 0) + whole.GeneratorCpuSeconds;
        var share = Math.Max(0, machine - own) / whole.Seconds / inputs.Cores;
        return share < FindingLimits.OthersForMedium
            ? (FindingConfidence.High, null)
            : (share < FindingLimits.OthersForLow ? FindingConfidence.Medium : FindingConfidence.Low,
                Text($"Other processes used {100 * share:0} % of the machine meanwhile; on a quiet machine this may look different."));
    }

    /// <summary>The answer in a sentence, if there is a finding.</summary>
    internal static string Conclude(FindingResult first, double? response) =>
        $"{Upper(first.Resource)} first: {Figures.Percent(first.ShareOfResponseTime)} of {Figures.Ms(1000 * response)} "
            + $"ms, {Figures.Word(first.Confidence)} confidence.";

    private static string Conclude(
        IReadOnlyList<FindingResult> ranked, IReadOnlyList<ResourceExamination> charged, double response,
        double unexplained)
    {
        if (ranked.Count > 0)
        {
            return Conclude(ranked[0], response);
        }

        var unknown =
            charged.Where(e => e.Reason is not null && !e.IsAbsent && e.Resource != ResourceNames.ServiceWaits)
            .GroupBy(e => e.Reason)
            .Select(same => $"{string.Join(", ", same.Select(e => e.Resource))} ({same.Key!.TrimEnd('.')})").ToList();
        return $"No resource stands out: {Figures.Ms(1000 * unexplained)} of {Figures.Ms(1000 * response)} ms are "
            + "unexplained, and no resource takes a considerable share and is busy. "
            + (unknown.Count > 0
                ? $"This would tell more, and was not measured: {string.Join("; ", unknown)}."
                : "A higher load would show what gives way first: `wfperf run --rate`, or a search for the capacity.");
    }

    private static string Upper(string text) => char.ToUpperInvariant(text[0]) + text[1..];

    private static ResourceResult Described(ResourceExamination examined, ResourceState state) => new()
    {
        Resource = examined.Resource,
        State = state,
        ImpactSecondsPerOperation = examined.Reason is null ? examined.Impact : null,
        Utilisation = examined.Utilisation,
        LimitPerSecond = examined.LimitPerSecond,
        Evidence = examined.Reason is { } reason ? [reason]
            : examined.CounterEvidence is { } counter && state != ResourceState.Guilty ? [.. examined.Evidence, counter]
            : examined.Evidence,
    };
}

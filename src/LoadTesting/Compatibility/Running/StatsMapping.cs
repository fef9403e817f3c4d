using LoadTesting.Contracts.Stats;
using LoadTesting.Core.Load.Simulations;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>Maps figures of the built-in engine to NBomber's statistics, without rounding.</summary>
internal static class StatsMapping
{
    /// <summary>The final statistics.</summary>
    /// <param name="measured">The result of the built-in engine.</param>
    /// <param name="scenarios">The scenarios of the session.</param>
    /// <param name="failsUnfinished">Whether iterations still running after the completion timeout count as
    /// failed.</param>
    public static NodeStats Of(
        BuiltIn.LoadResult measured, IReadOnlyList<RunningScenario> scenarios, bool failsUnfinished)
    {
        var stats = measured.Scenarios.Select((scenario, index) => WithUnfinished(
            Of(scenario.Name, index, scenario.Ok, scenario.Fail, scenario.Steps, scenario.Duration,
                OperationType.Complete, scenarios),
            failsUnfinished ? Count(scenario.Unfinished) : 0));
        return Sum(new NodeStats { ScenarioStats = [.. stats], Duration = measured.Duration, Measured = measured });
    }

    public static ScenarioStats[] Of(BuiltIn.Live.LoadInterval interval, IReadOnlyList<RunningScenario> scenarios) =>
    [
        .. interval.Scenarios.Select((scenario, index) => Of(
            scenario.Name, index, scenario.Ok, scenario.Fail, scenario.Steps, interval.To, OperationType.Bombing,
            scenarios)),
    ];

    /// <summary>A whole percentage. 0 and 100 mean none and all.</summary>
    public static int Percent(long part, long all) =>
        part == 0 || all == 0 ? 0
        : part == all ? 100
        : Math.Clamp((int)Math.Round(100.0 * part / all, MidpointRounding.AwayFromZero), 1, 99);

    private static ScenarioStats Of(
        string name, int index, BuiltIn.MeasurementStats ok, BuiltIn.MeasurementStats fail,
        IReadOnlyList<BuiltIn.StepStats> steps,
        TimeSpan duration, OperationType operation, IReadOnlyList<RunningScenario> scenarios)
    {
        var stats = new ScenarioStats
        {
            ScenarioName = name,
            Ok = Of(ok, ok.Count + fail.Count, isError: false),
            Fail = Of(fail, ok.Count + fail.Count, isError: true),
            StepStats = [.. steps.Select(Of)],
            LoadSimulationStats = SimulationAt(scenarios.First(scenario => scenario.Name == name).Load, duration),
            CurrentOperation = operation,
            Duration = duration,
            SortIndex = index,
            AllBytes = BuiltIn.ByteSum.Add(ok.SizeBytes, fail.SizeBytes),
            AllOkCount = Count(ok.Count + steps.Sum(step => step.Ok.Count)),
            AllFailCount = Count(fail.Count + steps.Sum(step => step.Fail.Count)),
        };
        stats.AllRequestCount = stats.AllOkCount + stats.AllFailCount;
        if (steps.Count > 0)
        {
            AddStatusCodesOfSteps(stats);
        }

        return stats;
    }

    /// <summary>
    /// Counts unfinished iterations as failures without latency, so that a system that hangs is visible.
    /// </summary>
    private static ScenarioStats WithUnfinished(ScenarioStats stats, int unfinished)
    {
        if (unfinished == 0)
        {
            return stats;
        }

        var (ok, fail) = (stats.Ok.Request, stats.Fail.Request);
        fail.Count += unfinished;
        fail.RPS = stats.Duration > TimeSpan.Zero ? fail.Count / stats.Duration.TotalSeconds : 0;
        var all = (long)ok.Count + fail.Count;
        (ok.Percent, fail.Percent) = (Percent(ok.Count, all), Percent(fail.Count, all));
        stats.AllFailCount += unfinished;
        stats.AllRequestCount += unfinished;
        stats.Fail.StatusCodes = Merged([stats.Fail, new MeasurementStats
        {
            StatusCodes =
            [
                new StatusCodeStats
                {
                    StatusCode = BuiltIn.FailureCodes.OperationTimeout,
                    IsError = true,
                    Message = "did not end within the completion timeout",
                    Count = unfinished,
                },
            ],
        }]);
        SetPercentOfCodes(stats);
        return stats;
    }

    /// <summary>Sets percentages of codes: of all iterations, or with steps of all responses with a code.</summary>
    private static void SetPercentOfCodes(ScenarioStats stats)
    {
        StatusCodeStats[] codes = [.. stats.Ok.StatusCodes, .. stats.Fail.StatusCodes];
        var all = stats.StepStats.Length > 0
            ? codes.Sum(code => (long)code.Count)
            : (long)stats.Ok.Request.Count + stats.Fail.Request.Count;
        foreach (var code in codes)
        {
            code.Percent = Percent(code.Count, all);
        }
    }

    private static StepStats Of(BuiltIn.StepStats step, int index) => new()
    {
        StepName = step.Name,
        Ok = Of(step.Ok, step.Ok.Count + step.Fail.Count, isError: false),
        Fail = Of(step.Fail, step.Ok.Count + step.Fail.Count, isError: true),
        SortIndex = index,
    };

    private static MeasurementStats Of(BuiltIn.MeasurementStats side, long all, bool isError) => new()
    {
        Request = new RequestStats
            { Count = Count(side.Count), RPS = side.RatePerSecond, Percent = Percent(side.Count, all) },
        Latency = side.Latency.Count == 0 ? new LatencyStats() : Of(side.Latency),
        DataTransfer = new DataTransferStats
        {
            MinBytes = side.Sizes.MinBytes,
            MeanBytes = (long)side.Sizes.MeanBytes,
            MaxBytes = side.Sizes.MaxBytes,
            Percent50 = side.Sizes.PercentileBytes(50),
            Percent75 = side.Sizes.PercentileBytes(75),
            Percent95 = side.Sizes.PercentileBytes(95),
            Percent99 = side.Sizes.PercentileBytes(99),
            StdDev = side.Sizes.StandardDeviationBytes,
            AllBytes = side.SizeBytes,
        },
        StatusCodes = [.. side.StatusCodes.Where(code => code.StatusCode.Length > 0).Select(code => new StatusCodeStats
        {
            StatusCode = code.StatusCode,
            IsError = isError,
            Message = code.Message,
            Count = Count(code.Count),
            Percent = Percent(code.Count, all),
        })],
    };

    private static LatencyStats Of(BuiltIn.Histograms.LatencyHistogram latency)
    {
        var (low, middle) = (latency.CountAtOrBelow(800), latency.CountAtOrBelow(1200));
        return new LatencyStats
        {
            MinMs = latency.MinMs,
            MeanMs = latency.AverageMs,
            MaxMs = latency.MaxMs,
            Percent50 = latency.PercentileMs(50),
            Percent75 = latency.PercentileMs(75),
            Percent95 = latency.PercentileMs(95),
            Percent99 = latency.PercentileMs(99),
            StdDev = latency.StandardDeviationMs,
            LatencyCount = new LatencyCount
            {
                LessOrEq800 = Count(low),
                More800Less1200 = Count(middle - low),
                MoreOrEq1200 = Count(latency.Count - middle),
            },
        };
    }

    /// <summary>
    /// Adds the codes of steps to those of the scenario. Percentages are of all responses with a code.
    /// </summary>
    private static void AddStatusCodesOfSteps(ScenarioStats stats)
    {
        stats.Ok.StatusCodes = Merged(stats.StepStats.Select(step => step.Ok).Prepend(stats.Ok));
        stats.Fail.StatusCodes = Merged(stats.StepStats.Select(step => step.Fail).Prepend(stats.Fail));
        SetPercentOfCodes(stats);
    }

    private static StatusCodeStats[] Merged(IEnumerable<MeasurementStats> sides) =>
    [
        .. sides.SelectMany(side => side.StatusCodes).GroupBy(code => code.StatusCode)
            .Select(codes => new StatusCodeStats
            {
                StatusCode = codes.Key,
                IsError = codes.First().IsError,
                Message = codes.First().Message,
                Count = codes.Sum(code => code.Count),
            })
            .OrderByDescending(code => code.Count).ThenBy(code => code.StatusCode, StringComparer.Ordinal),
    ];

    private static NodeStats Sum(NodeStats stats)
    {
        stats.AllOkCount = stats.ScenarioStats.Sum(scenario => scenario.AllOkCount);
        stats.AllFailCount = stats.ScenarioStats.Sum(scenario => scenario.AllFailCount);
        stats.AllRequestCount = stats.AllOkCount + stats.AllFailCount;
        stats.AllBytes = BuiltIn.ByteSum.Of(stats.ScenarioStats.Select(scenario => scenario.AllBytes));
        return stats;
    }

    /// <summary>The scheduled copies, or arrivals per interval, at a moment.</summary>
    private static LoadSimulationStats SimulationAt(IReadOnlyList<BuiltIn.LoadSimulation> load, TimeSpan at)
    {
        var before = 0.0;
        for (var index = 0; ; index++)
        {
            var simulation = load[index];
            var (name, end) = EndOf(simulation);
            var isLast = index == load.Count - 1;
            if (isLast || simulation.PlannedDuration is not { } planned || at < planned)
            {
                var share = simulation.PlannedDuration is { } length ? Math.Min(1, at / length) : 1;
                var isRamp = simulation is RampingConstantSimulation or RampingInjectSimulation;
                return new LoadSimulationStats
                {
                    SimulationName = name,
                    Value = (int)Math.Round(isRamp ? before + ((end - before) * share) : end),
                };
            }

            (at, before) = (at - planned, end);
        }
    }

    private static (string Name, double End) EndOf(BuiltIn.LoadSimulation simulation) => simulation switch
    {
        RampingConstantSimulation s => ("ramping_constant", s.Copies),
        KeepConstantSimulation s => ("keep_constant", s.Copies),
        IterationsForConstantSimulation s => ("iterations_for_constant", s.Copies),
        RampingInjectSimulation s => ("ramping_inject", s.Rate),
        InjectSimulation s => ("inject", s.Rate),
        InjectRandomSimulation s => ("inject_random", s.MaxRate),
        IterationsForInjectSimulation s => ("iterations_for_inject", s.Rate),
        _ => ("pause", 0),
    };

    private static int Count(long count) => (int)Math.Min(count, int.MaxValue);
}

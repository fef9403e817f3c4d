namespace LoadTesting.Core.Load;

/// <summary>Turns what a scenario's run has gathered into its result.</summary>
internal sealed class ScenarioOutcome(ScenarioRun run, ScheduleTally tally, bool isDrained, long now)
{
    internal ScenarioStats ToResult(MeterStripe iterations, IReadOnlyList<(string Name, MeterStripe Meter)> steps)
    {
        // Read after the meters were closed: every measurement belongs to an iteration that is counted as started.
        var started = run.Started;
        var requested = Math.Max(tally.Requested, started);
        var duration = StopwatchTime.ToTimeSpan(End(iterations.LastEnd, started) - tally.Start);
        var paused = StopwatchTime.ToTimeSpan(tally.Paused);
        var loaded = duration - paused;
        var ended = iterations.Ok.Count + iterations.Fail.Count;
        var ok = iterations.Ok.ToResult(run.Props.Model, ended, loaded);
        var fail = iterations.Fail.ToResult(run.Props.Model, ended, loaded);
        var result = new ScenarioStats
        {
            Name = run.Name,
            Model = run.Props.Model,
            Simulations = [.. run.Simulations.Select(simulation => simulation.ToString())],
            PlannedDuration = PlannedDuration(),
            Duration = duration,
            Paused = paused,
            Requested = requested,
            Started = started,
            Dropped = requested - started,
            DroppedInFlightLimit = tally.DroppedInFlightLimit,
            DroppedAfterStop = Math.Min(tally.DroppedAfterStop, requested - started),
            Unfinished = started - ended,
            StartedLate = run.StartedLate,
            Ok = ok,
            Fail = fail,
            ScheduleLag = iterations.ScheduleLag,
            Steps = [.. steps.Select(step => Step(step.Name, step.Meter, loaded))],
            HiddenStall = run.Props.Model == LoadModel.Closed
                ? run.Gaps.Judge(LatencyHistogram.MergeAll([ok.Service, fail.Service]), loaded, run.StallLimits)
                : null,
        };
        return run.Operation == ScenarioOperation.WarmUp
            ? result
            : result with { Thresholds = [.. run.Props.Thresholds.Select(threshold => threshold.Evaluate(result))] };
    }

    private StepStats Step(string name, MeterStripe meter, TimeSpan loaded)
    {
        var ended = meter.Ok.Count + meter.Fail.Count;
        return new StepStats
        {
            Name = name,
            Ok = meter.Ok.ToResult(run.Props.Model, ended, loaded),
            Fail = meter.Fail.ToResult(run.Props.Model, ended, loaded),
            ScheduleLag = meter.ScheduleLag,
            EndBeforeStart = meter.EndBeforeStart,
        };
    }

    private long End(long lastEnd, long started)
    {
        if (!isDrained || (started == 0 && tally.ScheduleEnd == 0))
        {
            return now;
        }

        return Math.Max(tally.Start, Math.Max(Math.Min(lastEnd, now), tally.ScheduleEnd));
    }

    private TimeSpan? PlannedDuration() => run.Simulations.All(simulation => simulation.PlannedDuration is not null)
        ? run.Simulations.Aggregate(TimeSpan.Zero, (sum, simulation) => sum + simulation.PlannedDuration!.Value)
        : null;
}

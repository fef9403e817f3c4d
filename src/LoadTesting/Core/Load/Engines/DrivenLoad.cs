namespace LoadTesting.Core.Load.Engines;

/// <summary>Runs scenarios on an external load engine and watches its progress.</summary>
internal static class DrivenLoad
{
    /// <exception cref="InvalidOperationException">The engine failed; the inner exception says how.</exception>
    internal static async Task<(ScenarioStats[] Results, IReadOnlyList<string> Notes)> RunAsync(
        ILoadEngine engine, IReadOnlyList<ScenarioRun> runs, RunControl control, LoadOptions options)
    {
        var scenarios = runs.Select(run => new DrivenScenario(run)).ToArray();
        using var ended = new CancellationTokenSource();
        var watch = WatchAsync(runs, control, options.CompletionTimeout, ended.Token);
        IReadOnlyList<string> notes;
        Task whenOver;
        try
        {
            var driving = engine.DriveAsync(scenarios, control.CancellationToken);
            await Task.WhenAny(driving, Task.WhenAll(scenarios.Select(scenario => scenario.Finished)))
                .ConfigureAwait(false);
            whenOver = driving.IsFaulted ? Task.CompletedTask : options.WhenOver?.Invoke() ?? Task.CompletedTask;
            notes = await driving.ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not NotSupportedException
            && !(exception is OperationCanceledException && control.IsStopped))
        {
            control.Stop($"load engine '{engine.Name}' failed: {exception.Message}");
            CancelBodies(runs);
            throw new InvalidOperationException($"Load engine '{engine.Name}' failed: {exception.Message}", exception);
        }
        finally
        {
            await ended.CancelAsync().ConfigureAwait(false);
            await watch.ConfigureAwait(false);
        }

        await whenOver.ConfigureAwait(false);
        var results = await Task.WhenAll(
            scenarios.Select(scenario => Task.Run(() => scenario.Conclude(engine.Describe)))).ConfigureAwait(false);
        return (results, notes);
    }

    private static void CancelBodies(IReadOnlyList<ScenarioRun> runs)
    {
        foreach (var run in runs)
        {
            run.CancelBodies();
        }
    }

    /// <summary>
    /// Stops the run if no iteration starts within the completion timeout: a body that hangs must not hang the run.
    /// </summary>
    private static async Task WatchAsync(
        IReadOnlyList<ScenarioRun> runs, RunControl control, TimeSpan completionTimeout, CancellationToken ended)
    {
        using var timer = new PeriodicTimer(completionTimeout);
        var startedBefore = -1L;
        try
        {
            while (await timer.WaitForNextTickAsync(ended).ConfigureAwait(false))
            {
                var started = runs.Sum(run => run.Started);
                if (started == startedBefore && runs.Any(run => run.InFlight.Count > 0))
                {
                    control.Stop(
                        $"{runs.Sum(run => run.InFlight.Count)} iterations are running and none has started within the completion timeout "
                        + $"of {completionTimeout}; set a timeout in the bodies, or raise "
                        + $"LoadOptions.CompletionTimeout");
                    CancelBodies(runs);
                    return;
                }

                startedBefore = started;
            }
        }
        catch (OperationCanceledException)
        {
            // The load has ended.
        }
    }
}

namespace LoadTesting.Core.Load.Live;

/// <summary>Publishes one load's figures to its metrics, on the thread that adds up its seconds.</summary>
internal sealed class LivePublisher
{
    private readonly LoadMetrics _metrics;
    private readonly LoadSamples _samples;
    private readonly IReadOnlyList<LiveScenario> _scenarios;

    /// <exception cref="InvalidOperationException">Another load publishes a scenario of the same name.</exception>
    internal LivePublisher(LoadMetrics metrics, IReadOnlyList<LiveScenario> scenarios, LoadSamples samples)
    {
        (_metrics, _scenarios, _samples) = (metrics, scenarios, samples);
        metrics.Begin(scenarios.Select(scenario => scenario.Name));
    }

    /// <summary>Called once a second, after the scenarios have added up their seconds.</summary>
    internal void EndSecond(long now)
    {
        var second = Stopwatch.Frequency;
        // The reading of this second may still be in progress: figures of processes are those of the second before.
        var (from, to) = (now - (2 * second), now - second);
        var process = _samples.ProcessesIn(from, to);
        _metrics.Publish(_scenarios.Select(scenario => (scenario.Name, scenario.Take(now))), process);
    }

    /// <summary>The load is over.</summary>
    /// <param name="results">In the order of the scenarios; null if the load failed.</param>
    internal void End(IReadOnlyList<ScenarioStats>? results)
    {
        _metrics.End(
            _scenarios.Select((scenario, index) =>
                (scenario.Name, results is null ? null : scenario.End(results[index]))));
    }
}

using System.Runtime;
using NBomber.Contracts;
using NBomber.Contracts.Stats;
using Spectre.Console;

namespace NBomber.StandIn;

/// <summary>
/// As much of a session as the adapter depends on, by what is known of 4.1.2: copies start at random inside the first
/// second and go on until they are stopped, arrivals are spread at random over their interval and dropped when the load
/// ends before their turn, Run blocks, a load below one second is refused, a random rate is below its maximum, a ramp
/// of arrivals has the rate of each interval's start, and the collector is set to low latency for good. Ramps of copies
/// are run at their end from the start.
/// </summary>
public sealed class Session(NBomberContext context)
{
    private static readonly TimeSpan s_shortest = TimeSpan.FromSeconds(1);

    private readonly ScenarioSession[] _scenarios =
        [.. context.Scenarios.Select(scenario => new ScenarioSession(scenario))];

    public NodeStats Run()
    {
        GCSettings.LatencyMode = GCLatencyMode.SustainedLowLatency;
        AnsiConsole.WriteLine("NBomber");
        foreach (var scenario in context.Scenarios)
        {
            if (scenario.LoadSimulations.FirstOrDefault(simulation => simulation.During < s_shortest) is { } simulation)
            {
                throw new InvalidOperationException($"Simulation duration "
                    + $"{simulation.During} is less than {s_shortest}");
            }
        }

        if (Directory.Exists(context.ReportFolder))
        {
            Directory.Delete(context.ReportFolder, recursive: true);
        }

        Directory.CreateDirectory(context.ReportFolder);
        File.WriteAllText(Path.Combine(context.ReportFolder, "nbomber-log-20260101.txt"), "");
        Task.WhenAll(_scenarios.Select(scenario => scenario.RunAsync(Stop))).GetAwaiter().GetResult();
        var stats = new NodeStats
        {
            NodeInfo = new NodeInfo { NBomberVersion = "stand-in" },
            ScenarioStats = [.. _scenarios.Select(scenario => scenario.ToStats())],
        };
        foreach (var format in context.ReportFormats)
        {
            var lines = stats.ScenarioStats.SelectMany(scenario =>
                scenario.StepStats.Select(step => $"{scenario.ScenarioName}: {step.StepName} {step.Ok.Request.Count}"));
            File.WriteAllLines(
                Path.Combine(context.ReportFolder, $"{context.ReportFileName}.{format.ToString().ToLowerInvariant()}"),
                lines);
        }

        return stats;
    }

    /// <summary>Stops one scenario, or all where none is named.</summary>
    private void Stop(string? scenarioName)
    {
        foreach (var scenario in _scenarios.Where(scenario => scenarioName is null || scenario.Name == scenarioName))
        {
            scenario.Stop();
        }
    }
}

namespace LoadTesting.Core.Load;

/// <summary>What a run measured.</summary>
public sealed record LoadResult
{
    /// <summary>When the measured load started.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>Real time from there until the last scenario had ended; without init, warm-up and clean.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>In the order in which they were given.</summary>
    public required IReadOnlyList<ScenarioStats> Scenarios { get; init; }

    /// <summary>Whether the generator could follow.</summary>
    public required GeneratorHealth Health { get; init; }

    /// <summary>Who started the iterations.</summary>
    public string Engine { get; init; } = LoadRunner.BuiltInEngine;

    /// <summary>What a reader must know about that engine; empty for the built-in one.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Why the run ended early; null where it did not.</summary>
    public string? StopReason { get; init; }

    /// <summary>The scenario of that name.</summary>
    /// <exception cref="KeyNotFoundException">There is none; the message lists those there are.</exception>
    public ScenarioStats Scenario(string name) => Scenarios.FirstOrDefault(scenario => scenario.Name == name)
        ?? throw new KeyNotFoundException($"The run has no scenario '{name}', only {string.Join(", ", Scenarios.Select(scenario => $"'{scenario.Name}'"))}.");
}

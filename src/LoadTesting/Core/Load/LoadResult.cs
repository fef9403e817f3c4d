namespace LoadTesting.Core.Load;

public sealed record LoadResult
{
    /// <summary>When the measured load started.</summary>
    public required DateTimeOffset StartedUtc { get; init; }

    /// <summary>Real time from there until the last scenario had ended; without init, warm-up and clean.</summary>
    public required TimeSpan Duration { get; init; }

    /// <summary>The scenarios in the given order.</summary>
    public required IReadOnlyList<ScenarioStats> Scenarios { get; init; }

    /// <summary>Whether the generator kept up.</summary>
    public required GeneratorHealth Health { get; init; }

    /// <summary>The engine that started the iterations.</summary>
    public string Engine { get; init; } = LoadRunner.BuiltInEngine;

    /// <summary>Notes of the engine and of sampling; empty if there are none.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    /// <summary>Why the run was stopped; null if it was not.</summary>
    public string? StopReason { get; init; }

    /// <summary>Whether <see cref="LoadOptions.Interruption"/> stopped the run.</summary>
    public bool IsInterrupted { get; init; }

    /// <summary>The scenario with a name.</summary>
    /// <exception cref="KeyNotFoundException">There is none; the message lists the existing ones.</exception>
    public ScenarioStats Scenario(string name) => Scenarios.FirstOrDefault(scenario => scenario.Name == name)
        ?? throw new KeyNotFoundException(
            $"The run has no scenario '{name}', only "
                + $"{string.Join(", ", Scenarios.Select(scenario => $"'{scenario.Name}'"))}.");
}

namespace PerformanceTests.Findings;

/// <summary>A system with one cause of being slow, or with none.</summary>
/// <param name="Name">As the page's table has it.</param>
/// <param name="Resource">What must be named first; null where nothing may be.</param>
/// <param name="RunAsync">Runs it once, and judges.</param>
internal sealed record PlantedCause(string Name, string? Resource, Func<RunFixture, Task<ProvokedRun>> RunAsync);

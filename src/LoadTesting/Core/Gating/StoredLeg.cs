using LoadTesting.Core.Baselines;

namespace LoadTesting.Core.Gating;

/// <summary>A scenario of a stored run.</summary>
internal sealed record StoredLeg(ComparisonSource Source, ScenarioResult Scenario);

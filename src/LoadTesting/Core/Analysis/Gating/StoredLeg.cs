using LoadTesting.Core.Results;

namespace LoadTesting.Core.Analysis.Gating;

/// <summary>A scenario of a stored run.</summary>
internal sealed record StoredLeg(ComparisonSource Source, ScenarioResult Scenario);

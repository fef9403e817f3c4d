namespace LoadTesting.Core.Load;

internal sealed record ScenarioInitContext(ScenarioInfo ScenarioInfo, CancellationToken ScenarioCancellationToken) : IScenarioInitContext;

namespace LoadTesting.Core.Load;

/// <summary>What preparation and tidying up get to see.</summary>
public interface IScenarioInitContext
{
    /// <summary>The scenario.</summary>
    ScenarioInfo ScenarioInfo { get; }

    /// <summary>Cancelled when the caller cancels the run. Tidying up gets one that is never cancelled.</summary>
    CancellationToken ScenarioCancellationToken { get; }
}

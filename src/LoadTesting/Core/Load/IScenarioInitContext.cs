namespace LoadTesting.Core.Load;

/// <summary>The context of a scenario's init and clean.</summary>
public interface IScenarioInitContext
{
    ScenarioInfo ScenarioInfo { get; }

    /// <summary>Cancelled when the caller cancels the run. In clean it is never cancelled.</summary>
    CancellationToken ScenarioCancellationToken { get; }
}

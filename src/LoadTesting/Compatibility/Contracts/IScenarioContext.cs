using LoadTesting.Contracts.Stats;
using Serilog;

namespace LoadTesting.Contracts;

/// <summary>What one iteration gets to see.</summary>
public interface IScenarioContext
{
    TestInfo TestInfo { get; }
    ScenarioInfo ScenarioInfo { get; }
    NodeInfo NodeInfo { get; }
    ILogger Logger { get; }

    /// <summary>How often this copy has run, from 1.</summary>
    long InvocationNumber { get; }

    /// <summary>Values of this iteration; empty at its start.</summary>
    Dictionary<string, object> Data { get; }

    /// <summary>Values of this copy; kept between its iterations.</summary>
    Dictionary<string, object> ScenarioInstanceData { get; }

    /// <summary>
    /// Cancelled when nothing more starts and the iteration still runs: the scenario's schedule has ended, or was
    /// stopped. The last of a number of iterations are cancelled when the completion timeout has passed.
    /// </summary>
    CancellationToken ScenarioCancellationToken { get; }

    /// <summary>Seeded by the copy's number, so that a run can be repeated.</summary>
    Random Random { get; }

    /// <summary>Starts nothing more in that scenario; what runs may end.</summary>
    void StopScenario(string scenarioName, string reason);

    /// <summary>Starts nothing more in any scenario; what runs may end.</summary>
    void StopCurrentTest(string reason);
}

using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;

namespace LoadTesting.Contracts;

/// <summary>What preparation and tidying up get to see.</summary>
public interface IScenarioInitContext
{
    TestInfo TestInfo { get; }
    ScenarioInfo ScenarioInfo { get; }
    NodeInfo NodeInfo { get; }

    /// <summary>The scenario's part of the JSON configuration; empty if it has none.</summary>
    IConfiguration CustomSettings { get; }

    /// <summary>The part of the JSON configuration for all scenarios; empty if there is none.</summary>
    IConfiguration GlobalCustomSettings { get; }

    ScenarioPartition ScenarioPartition { get; }
    ILogger Logger { get; }
}

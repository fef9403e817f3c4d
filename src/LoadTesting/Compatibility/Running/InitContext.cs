using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;

namespace LoadTesting.Running;

/// <summary>The context of a scenario's init and clean.</summary>
internal sealed class InitContext(
    SessionContext session, ScenarioInfo info, IConfiguration custom, IConfiguration globalCustom)
    : IScenarioInitContext
{
    public TestInfo TestInfo => session.TestInfo;
    public ScenarioInfo ScenarioInfo => info;
    public NodeInfo NodeInfo => session.GetNodeInfo();
    public IConfiguration CustomSettings => custom;
    public IConfiguration GlobalCustomSettings => globalCustom;
    public ScenarioPartition ScenarioPartition => ScenarioPartition.Empty;
    public ILogger Logger => session.Logger;
}

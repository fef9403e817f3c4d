using LoadTesting.Contracts.Stats;
using Serilog;

namespace LoadTesting.Contracts;

/// <summary>What sinks and plugins get to see.</summary>
public interface IBaseContext
{
    TestInfo TestInfo { get; }
    NodeInfo GetNodeInfo();
    ILogger Logger { get; }
    IMetricsProvider MetricsProvider { get; }
}

using System.Data;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Contracts;

/// <summary>
/// Works beside the load and adds tables to the reports. Of the two <c>Start</c> implement one, as of
/// <see cref="IReportingSink"/>.
/// </summary>
public interface IWorkerPlugin : IDisposable
{
    string PluginName { get; }

    /// <summary>Before anything starts; an exception ends the session.</summary>
    Task Init(IBaseContext context, IConfiguration infraConfig);

    Task Start(SessionStartInfo sessionInfo) => Start();

    Task Start() => Task.CompletedTask;

    Task<DataSet> GetStats(NodeStats stats);

    string[] GetHints();

    Task Stop();
}

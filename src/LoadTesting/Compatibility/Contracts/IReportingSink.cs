using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;

namespace LoadTesting.Contracts;

/// <summary>
/// Saves what is measured, while it runs and at the end. Called one call after the other, beside the load. Implement
/// one of the two <c>Start</c>: the one without an argument is NBomber 4's.
/// </summary>
public interface IReportingSink : IDisposable
{
    string SinkName { get; }

    /// <summary>Before anything starts; an exception ends the session.</summary>
    Task Init(IBaseContext context, IConfiguration infraConfig);

    Task Start(SessionStartInfo sessionInfo) => Start();

    Task Start() => Task.CompletedTask;

    /// <summary>What each reporting interval measured, by itself.</summary>
    Task SaveRealtimeStats(ScenarioStats[] stats);

    Task SaveFinalStats(NodeStats stats);

    /// <summary>After everything was saved.</summary>
    Task Stop();
}

using System.Diagnostics;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Serilog;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>Adapts the context of a scenario copy in both directions, and adds up the bytes of steps.</summary>
internal sealed class Iteration(SessionContext session, BuiltIn.IScenarioContext builtIn, ScenarioInfo info)
    : IScenarioContext, BuiltIn.IScenarioContext
{
    private long _stepBytes;

    public BuiltIn.IScenarioContext Copy => builtIn;
    public TestInfo TestInfo => session.TestInfo;
    public ScenarioInfo ScenarioInfo => info;
    public NodeInfo NodeInfo => session.GetNodeInfo();
    public ILogger Logger => session.Logger;
    public long InvocationNumber => builtIn.InvocationNumber;
    public Dictionary<string, object> Data => builtIn.Data;
    public Dictionary<string, object> ScenarioInstanceData => builtIn.ScenarioInstanceData;
    public CancellationToken ScenarioCancellationToken => builtIn.ScenarioCancellationToken;
    public Random Random => builtIn.Random;
    BuiltIn.ScenarioInfo BuiltIn.IScenarioContext.ScenarioInfo => builtIn.ScenarioInfo;
    long BuiltIn.IScenarioContext.IterationNumber => builtIn.IterationNumber;
    long BuiltIn.IScenarioContext.IntendedTimestamp => builtIn.IntendedTimestamp;
    long BuiltIn.IScenarioContext.StartTimestamp => builtIn.StartTimestamp;
    bool BuiltIn.IScenarioContext.RestartIterationOnFail => builtIn.RestartIterationOnFail;

    void BuiltIn.IScenarioContext.RestUntil(long timestamp) => builtIn.RestUntil(timestamp);

    public static Iteration Of(IScenarioContext context) => context as Iteration
        ?? throw new ArgumentException(
            "A step runs in the context that its scenario was given; this one is of another "
                + "kind: pass the scenario's own.",
            nameof(context));

    public void StopScenario(string scenarioName, string reason)
    {
        session.Report($"Scenario '{scenarioName}' is stopped early: {reason}");
        builtIn.StopScenario(scenarioName, reason);
    }

    public void StopCurrentTest(string reason)
    {
        session.Report($"The test is stopped early: {reason}");
        builtIn.StopCurrentTest(reason);
    }

    /// <summary>Records a step and adds its bytes to the iteration.</summary>
    public void RecordStep(string name, long startTimestamp, long endTimestamp, BuiltIn.IResponse response)
    {
        for (var sum = Volatile.Read(ref _stepBytes); ;)
        {
            var seen = Interlocked.CompareExchange(ref _stepBytes, BuiltIn.ByteSum.Add(sum, response.SizeBytes), sum);
            if (seen == sum)
            {
                break;
            }

            sum = seen;
        }

        builtIn.RecordStep(
            name, startTimestamp,
            response is IResponse { LatencyMs: > 0 and var latencyMs }
                ? EndAfter(startTimestamp, latencyMs)
                : endTimestamp, response);
    }

    /// <summary>The failure for an exception of a step.</summary>
    public Response<T> Failed<T>(Exception exception)
    {
        if (exception is not OperationCanceledException)
        {
            session.Logger.Error(
                exception, "Unhandled exception in a step of scenario {ScenarioName}", info.ScenarioName);
        }

        var failure = BuiltIn.FailureCodes.ResponseTo<T>(exception);
        return new Response<T>(failure.StatusCode, true, 0, failure.Message, null);
    }

    /// <summary>The iteration's response including the bytes of its steps.</summary>
    public BuiltIn.IResponse End(BuiltIn.IResponse response)
    {
        var bytes = Interlocked.Exchange(ref _stepBytes, 0);
        var latencyMs = (response as IResponse)?.LatencyMs ?? 0;
        return response is null || (bytes == 0 && latencyMs <= 0)
            ? response
            : new Response<object>(
                response.StatusCode, response.IsError, BuiltIn.ByteSum.Add(response.SizeBytes, bytes), response.Message,
                null)
            {
                LatencyMs = latencyMs,
                EndTimestamp = latencyMs > 0 ? EndAfter(builtIn.StartTimestamp, latencyMs) : response.EndTimestamp,
            };
    }

    private static long EndAfter(long start, double ms) => start + (long)(ms / 1000 * Stopwatch.Frequency);
}

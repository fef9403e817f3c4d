using Microsoft.FSharp.Core;

namespace NBomber.Contracts;

public interface IResponse
{
    string StatusCode { get; }

    bool IsError { get; }

    long SizeBytes { get; }

    string Message { get; }
}

public sealed record Response<T>(string StatusCode, bool IsError, long SizeBytes, string Message, FSharpOption<T> Payload) : IResponse;

public interface IScenarioContext
{
    void StopScenario(string scenarioName, string reason);

    void StopCurrentTest(string reason);
}

public sealed record ScenarioProps(string ScenarioName, Func<IScenarioContext, Task<IResponse>> Run)
{
    public TimeSpan? WarmUpDuration { get; init; } = TimeSpan.FromSeconds(30);

    public IReadOnlyList<LoadSimulation> LoadSimulations { get; init; } = [];

    public bool RestartIterationOnFail { get; init; } = true;

    public int MaxFailCount { get; init; } = 5_000;
}

/// <summary>A union in the original. Copies, or arrivals in each interval (null: a closed load; no copies either: a pause).</summary>
public sealed record LoadSimulation(int MinRate, int MaxRate, TimeSpan? Interval, TimeSpan During, bool IsRamp = false);

public sealed record NBomberContext(IReadOnlyList<ScenarioProps> Scenarios)
{
    public string TestName { get; init; } = "";

    public string ReportFolder { get; init; } = "";

    public string ReportFileName { get; init; } = "";

    public IReadOnlyList<Stats.ReportFormat> ReportFormats { get; init; } = [];
}

using NBomber.Contracts;
using NBomber.Contracts.Stats;
using NBomber.StandIn;

namespace NBomber.CSharp;

public static class Response
{
    public static Response<object> Ok(string statusCode = "", long sizeBytes = 0, string message = "", double latencyMs = 0) =>
        new(statusCode, false, sizeBytes, Text(message, latencyMs), null!);

    public static Response<object> Fail(string statusCode = "", string message = "", long sizeBytes = 0, double latencyMs = 0) =>
        new(statusCode, true, sizeBytes, Text(message, latencyMs), null!);

    private static string Text(string message, double latencyMs) =>
        latencyMs == 0 ? message : string.Create(CultureInfo.InvariantCulture, $"{message} {latencyMs} ms");
}

public static class Step
{
    public static Task<Response<T>> Run<T>(string name, IScenarioContext context, Func<Task<Response<T>>> run) =>
        ((Iteration)context).RunStepAsync(name, run);
}

public static class Simulation
{
    public static LoadSimulation KeepConstant(int copies, TimeSpan during) => new(copies, copies, null, during);

    public static LoadSimulation RampingConstant(int copies, TimeSpan during) => new(copies, copies, null, during, IsRamp: true);

    public static LoadSimulation Inject(int rate, TimeSpan interval, TimeSpan during) => new(rate, rate, interval, during);

    public static LoadSimulation RampingInject(int rate, TimeSpan interval, TimeSpan during) =>
        new(rate, rate, interval, during, IsRamp: true);

    public static LoadSimulation InjectRandom(int minRate, int maxRate, TimeSpan interval, TimeSpan during) =>
        new(minRate, maxRate, interval, during);

    public static LoadSimulation Pause(TimeSpan during) => new(0, 0, null, during);
}

public static class Scenario
{
    public static ScenarioProps Create(string name, Func<IScenarioContext, Task<IResponse>> run) => new(name, run);

    public static ScenarioProps WithoutWarmUp(this ScenarioProps scenario) => scenario with { WarmUpDuration = null };

    public static ScenarioProps WithLoadSimulations(this ScenarioProps scenario, params LoadSimulation[] loadSimulations) =>
        scenario with { LoadSimulations = loadSimulations };

    public static ScenarioProps WithRestartIterationOnFail(this ScenarioProps scenario, bool shouldRestart) =>
        scenario with { RestartIterationOnFail = shouldRestart };

    public static ScenarioProps WithMaxFailCount(this ScenarioProps scenario, int maxFailCount) =>
        scenario with { MaxFailCount = maxFailCount };
}

public static class NBomberRunner
{
    public static NBomberContext RegisterScenarios(params ScenarioProps[] scenarios) => new(scenarios);

    public static NBomberContext WithTestName(this NBomberContext context, string testName) => context with { TestName = testName };

    public static NBomberContext WithReportFolder(this NBomberContext context, string reportFolderPath) =>
        context with { ReportFolder = reportFolderPath };

    public static NBomberContext WithReportFileName(this NBomberContext context, string reportFileName) =>
        context with { ReportFileName = reportFileName };

    public static NBomberContext WithReportFormats(this NBomberContext context, params ReportFormat[] reportFormats) =>
        context with { ReportFormats = reportFormats };

    public static NodeStats Run(this NBomberContext context, params string[] args) => new Session(context).Run();
}

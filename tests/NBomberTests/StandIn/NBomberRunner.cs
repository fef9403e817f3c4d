using NBomber.Contracts;
using NBomber.Contracts.Stats;
using NBomber.StandIn;

namespace NBomber.CSharp;

public static class NBomberRunner
{
    public static NBomberContext RegisterScenarios(params ScenarioProps[] scenarios) => new(scenarios);

    public static NBomberContext WithTestName(this NBomberContext context, string testName) =>
        context with { TestName = testName };

    public static NBomberContext WithReportFolder(this NBomberContext context, string reportFolderPath) =>
        context with { ReportFolder = reportFolderPath };

    public static NBomberContext WithReportFileName(this NBomberContext context, string reportFileName) =>
        context with { ReportFileName = reportFileName };

    public static NBomberContext WithReportFormats(this NBomberContext context, params ReportFormat[] reportFormats) =>
        context with { ReportFormats = reportFormats };

    public static NodeStats Run(this NBomberContext context, params string[] args) => new Session(context).Run();
}

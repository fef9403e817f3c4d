using System.Runtime;
using LoadTesting.Core.Load;
using LoadTesting.Core.Load.Engines;
using NBomber.Contracts.Stats;
using NBomber.CSharp;
using NBomber.Http.CSharp;
using Spectre.Console;
using NBomberContext = NBomber.Contracts.NBomberContext;

namespace LoadTesting.NBomber;

/// <summary>
/// Runs scenarios on NBomber, which starts the iterations and writes its own HTML report. Core records the
/// measurements.
/// </summary>
/// <param name="reportFolder">Folder of its HTML report and log. Use one folder per load: NBomber deletes it at the
/// start.</param>
public sealed class NBomberLoadEngine(string reportFolder) : ILoadEngine
{
    public string Name => "nbomber";

    public async Task<IReadOnlyList<string>> DriveAsync(
        IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(scenarios);
        var adapted = scenarios.Select(scenario => new NBomberScenario(scenario)).ToArray();
        var session = NBomberRunner.RegisterScenarios([.. adapted.Select(scenario => scenario.Props)])
            .WithTestName(string.Join(", ", scenarios.Select(scenario => scenario.Name)))
            .WithReportFolder(reportFolder)
            .WithReportFileName(Name)
            .WithReportFormats(ReportFormat.Html);

        // Run blocks until the session has ended. A cancelled caller ends it by way of the scenarios.
        var stats = await Task.Factory.StartNew(
            () => RunQuietly(session), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .ConfigureAwait(false);
        var folder = new DirectoryInfo(reportFolder);
        return [.. adapted.SelectMany(
            scenario => scenario.Remarks(stats, $"{folder.Parent?.Name}/{folder.Name}/{Name}.html"))];
    }

    public string Describe(LoadSimulation simulation) => NBomberSimulations.Describe(simulation);

    /// <remarks>NBomber.Http is given no token: a cancelled wait leaves the request to the client's own
    /// timeout.</remarks>
    public async Task<HttpResponseMessage> SendAsync(
        HttpClient client, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var sent = await Http.Send(client, request).WaitAsync(cancellationToken).ConfigureAwait(false);
        return sent.Payload.Value;
    }

    /// <summary>
    /// Runs without NBomber's banner and tables, which are in its log and HTML, and restores the collector's latency
    /// mode, which NBomber changes.
    /// </summary>
    private static NodeStats RunQuietly(NBomberContext session)
    {
        var (console, latencyMode) = (AnsiConsole.Console, GCSettings.LatencyMode);
        AnsiConsole.Console =
            AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(TextWriter.Null) });
        try
        {
            return session.Run();
        }
        finally
        {
            AnsiConsole.Console = console;
            GCSettings.LatencyMode = latencyMode;
        }
    }
}

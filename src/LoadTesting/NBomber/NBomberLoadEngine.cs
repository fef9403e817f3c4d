using System.Runtime;
using LoadTesting.Core.Load;
using NBomber.Contracts.Stats;
using NBomber.CSharp;
using NBomber.Http.CSharp;
using Spectre.Console;
using NBomberContext = NBomber.Contracts.NBomberContext;

namespace LoadTesting.NBomber;

/// <summary>
/// Runs scenarios on NBomber: it starts the iterations and writes its own HTML; what is measured is measured by the recorder of Core.
/// </summary>
/// <param name="reportFolder">Where its HTML and its log go; a folder of this load's own, as NBomber deletes it before it begins.</param>
/// <param name="license">The key that 5 and 6 ask of organisations; 4 has no use for one.</param>
public sealed class NBomberLoadEngine(string reportFolder, string? license = null) : ILoadEngine
{
    /// <summary>The first version that takes a key and shows live metrics on the console.</summary>
    private const int FirstLicensed = 5;

    public string Name => "nbomber";

    public async Task<IReadOnlyList<string>> DriveAsync(IReadOnlyList<DrivenScenario> scenarios, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(scenarios);
        var adapted = scenarios.Select(scenario => new NBomberScenario(scenario)).ToArray();
        var session = NBomberRunner.RegisterScenarios([.. adapted.Select(scenario => scenario.Props)])
            .WithTestName(string.Join(", ", scenarios.Select(scenario => scenario.Name)))
            .WithReportFolder(reportFolder)
            .WithReportFileName(Name)
            .WithReportFormats(ReportFormat.Html);
        var arguments = Arguments(typeof(NBomberRunner).Assembly.GetName().Version!.Major, license);

        // Run blocks until the session has ended. A cancelled caller ends it by way of the scenarios.
        var stats = await Task.Factory.StartNew(
            () => RunQuietly(session, arguments), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
            .ConfigureAwait(false);
        var folder = new DirectoryInfo(reportFolder);
        return [.. adapted.SelectMany(scenario => scenario.Remarks(stats, $"{folder.Parent?.Name}/{folder.Name}/{Name}.html"))];
    }

    public string Describe(LoadSimulation simulation) => NBomberSimulations.Describe(simulation);

    /// <remarks>By the two arguments that every version has; so a cancelled wait leaves the request to the client's own timeout.</remarks>
    public async Task<HttpResponseMessage> SendAsync(HttpClient client, HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var sent = await Http.Send(client, request).WaitAsync(cancellationToken).ConfigureAwait(false);
        return sent.Payload.Value;
    }

    /// <summary>What a version is called with: members for a key and a silent console differ by version, arguments do not.</summary>
    internal static string[] Arguments(int majorVersion, string? license) => majorVersion < FirstLicensed
        ? []
        : string.IsNullOrWhiteSpace(license) ? ["--display-console-metrics=false"]
        : ["--display-console-metrics=false", $"--license={license.Trim()}"];

    /// <summary>
    /// Without its banner and tables, which are in its log and HTML, and with the collector as it was: NBomber sets it for good.
    /// </summary>
    private static NodeStats RunQuietly(NBomberContext session, string[] arguments)
    {
        var (console, latencyMode) = (AnsiConsole.Console, GCSettings.LatencyMode);
        AnsiConsole.Console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(TextWriter.Null) });
        try
        {
            return session.Run(arguments);
        }
        finally
        {
            AnsiConsole.Console = console;
            GCSettings.LatencyMode = latencyMode;
        }
    }
}

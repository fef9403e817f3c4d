using Microsoft.VisualStudio.TestPlatform.ObjectModel;
using Microsoft.VisualStudio.TestPlatform.ObjectModel.Client;
using Microsoft.VisualStudio.TestPlatform.ObjectModel.Logging;
using PerformanceTesting.XunitV3;

namespace PerformanceTesting.TestLogger;

/// <summary>
/// A logger of VSTest that prints the lines of the tests as they are and at once. VSTest loads it into its own process
/// from the folder of the tests, because the assembly's name ends in <c>TestLogger</c>. Its standard output is the one
/// that <c>dotnet test</c> shows; that of the tests is hidden.
/// </summary>
[FriendlyName("wfperf")]
[ExtensionUri("logger://wfperf/terminal")]
public sealed class TerminalTestLogger : ITestLogger
{
    /// <summary>The test process has closed the pipe by then, unless it was killed while it wrote.</summary>
    private static readonly TimeSpan LongestEnd = TimeSpan.FromSeconds(5);

    public void Initialize(TestLoggerEvents events, string testRunDirectory)
    {
        ArgumentNullException.ThrowIfNull(events);
        var name = $"wfperf-{Environment.ProcessId}-{Guid.NewGuid():N}";
        var end = new CancellationTokenSource();
        var copying = LinePipe.CopyAsync(name, Console.Out, end.Token);
        Environment.SetEnvironmentVariable(TerminalPipe.Variable, name);
        events.TestRunComplete += (_, _) =>
        {
            end.Cancel();
            copying.Wait(LongestEnd);
            end.Dispose();
        };
        if (NobodyShowsFailures())
        {
            ShowFailuresAndWarnings(events);
        }
    }

    /// <summary>
    /// Without the terminal logger VSTest's logger of the console shows them, unless it was told to be quiet.
    /// </summary>
    private static bool NobodyShowsFailures() =>
        Environment.GetEnvironmentVariable(TerminalPipe.TerminalLoggerVariable) != "1"
        && Environment.GetCommandLineArgs().Any(argument =>
            argument.Contains("console;verbosity=quiet", StringComparison.OrdinalIgnoreCase));

    private static void ShowFailuresAndWarnings(TestLoggerEvents events)
    {
        events.TestResult += (_, e) =>
        {
            if (e.Result.Outcome == TestOutcome.Failed)
            {
                Console.Out.WriteLine($"Failed {e.Result.DisplayName ?? e.Result.TestCase.DisplayName}");
                Console.Out.WriteLine(e.Result.ErrorMessage);
                Console.Out.WriteLine(e.Result.ErrorStackTrace);
            }
        };
        events.TestRunMessage += (_, e) =>
        {
            if (e.Level == TestMessageLevel.Warning)
            {
                Console.Out.WriteLine(e.Message);
            }
        };
    }
}

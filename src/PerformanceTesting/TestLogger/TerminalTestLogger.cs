using System.IO.Pipes;
using Microsoft.VisualStudio.TestPlatform.ObjectModel;
using Microsoft.VisualStudio.TestPlatform.ObjectModel.Client;
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
        var copying = CopyAsync(name, Console.Out, end.Token);
        Environment.SetEnvironmentVariable(TerminalPipe.Variable, name);
        events.TestRunComplete += (_, _) =>
        {
            end.Cancel();
            copying.Wait(LongestEnd);
            end.Dispose();
        };
    }

    /// <summary>Copies lines of one test process after the other.</summary>
    /// <param name="name">Name of the pipe.</param>
    /// <param name="output">Takes the lines.</param>
    /// <param name="end">
    /// No test process connects any more. Lines of the one that has connected are still copied.
    /// </param>
    internal static async Task CopyAsync(string name, TextWriter output, CancellationToken end)
    {
        while (!end.IsCancellationRequested)
        {
            await using var pipe = new NamedPipeServerStream(
                name, PipeDirection.In, 1, PipeTransmissionMode.Byte,
                PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
            try
            {
                await pipe.WaitForConnectionAsync(end).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                return;
            }

            using var reader = new StreamReader(pipe);
            while (await reader.ReadLineAsync(CancellationToken.None).ConfigureAwait(false) is { } line)
            {
                await output.WriteLineAsync(line).ConfigureAwait(false);
            }
        }
    }
}

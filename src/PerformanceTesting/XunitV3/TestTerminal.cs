using System.IO.Pipes;

namespace PerformanceTesting.XunitV3;

/// <summary>
/// Shows lines of a test run at once. The logger <c>wfperf</c> of VSTest prints them as they are. Without that logger
/// they go to standard error under the terminal logger of MSBuild, which prints it. Otherwise VSTest hides standard
/// error, and they are diagnostic messages of xUnit, which <c>diagnosticMessages</c> in xunit.runner.json lets through.
/// </summary>
public static class TestTerminal
{
    private static readonly TimeSpan LongestConnect = TimeSpan.FromSeconds(5);
    private static readonly Lock Gate = new();
    private static readonly Lazy<StreamWriter?> OfProcess = new(Take);

    /// <summary>Shows one line or several.</summary>
    public static void Write(string text) => Write(OfProcess.Value, text);

    /// <summary>Takes the pipe before the tests begin, so that no process that they start finds it.</summary>
    internal static void Prepare() => _ = OfProcess.Value;

    internal static void Write(StreamWriter? logger, string text)
    {
        if (logger is null && Environment.GetEnvironmentVariable(TerminalPipe.TerminalLoggerVariable) == "1")
        {
            Console.Error.WriteLine(text);
            return;
        }

        if (logger is null)
        {
            TestContext.Current.SendDiagnosticMessage(text);
            return;
        }

        try
        {
            lock (Gate)
            {
                logger.WriteLine(text);
            }
        }
        catch (IOException)
        {
            // VSTest has ended before its tests: they end soon, and the line may still be recorded.
            TestContext.Current.SendDiagnosticMessage(text);
        }
    }

    /// <param name="pipe">The logger's pipe; null without that logger.</param>
    internal static StreamWriter? Open(string? pipe)
    {
        if (string.IsNullOrEmpty(pipe))
        {
            return null;
        }

        var client = new NamedPipeClientStream(".", pipe, PipeDirection.Out, PipeOptions.CurrentUserOnly);
        client.Connect(LongestConnect);
        return new StreamWriter(client) { AutoFlush = true };
    }

    private static StreamWriter? Take()
    {
        var pipe = Environment.GetEnvironmentVariable(TerminalPipe.Variable);
        Environment.SetEnvironmentVariable(TerminalPipe.Variable, null);
        return Open(pipe);
    }
}

using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.XunitV3;

/// <summary>
/// A line every five seconds of what a test measures, where a plain <c>dotnet test</c> shows it. VSTest hides output
/// and standard error of test processes, and passes on diagnostic messages at once; the terminal logger of an SDK
/// passes on standard error at once, and keeps diagnostic messages until the end, as warnings.
/// </summary>
public static class TestProgress
{
    /// <summary>Environment variable: <c>auto</c> (the default), <c>lines</c> or <c>off</c>.</summary>
    public const string Name = "WORKFLOW_PERF_PROGRESS";

    /// <param name="test">
    /// Takes diagnostic messages, which <c>diagnosticMessages</c> in xunit.runner.json lets through.
    /// </param>
    /// <exception cref="ArgumentException">The variable has a value that it cannot have.</exception>
    public static IReadOnlyList<IProgressOutput> Outputs(ITestContext test) =>
        Environment.GetEnvironmentVariable(Name) switch
        {
            "off" => [],
            null or "" or "auto" or "lines" => [new ProgressLines(Writer(test))],
            var other => throw new ArgumentException(
                $"{Name} is '{other}'. It is 'auto' (the default), 'lines' or 'off'."),
        };

    /// <summary>Takes lines that are shown at once.</summary>
    public static Action<string> Writer(ITestContext test) =>
        Environment.GetEnvironmentVariable(Name) is not "lines" && IsUnderTerminalLogger()
            ? Console.Error.WriteLine
            : test.SendDiagnosticMessage;

    /// <summary>
    /// As MSBuild decides: a terminal that is not a dumb one, outside of CI. The terminal is the one that the process
    /// belongs to, since its own streams are pipes to the test host.
    /// </summary>
    private static bool IsUnderTerminalLogger() =>
        string.IsNullOrEmpty(Environment.GetEnvironmentVariable("CI"))
        && Environment.GetEnvironmentVariable("TERM") is not (null or "" or "dumb")
        && HasTerminal();

    private static bool HasTerminal()
    {
        try
        {
            using var terminal = new FileStream("/dev/tty", FileMode.Open, FileAccess.Write);
            return true;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // ENXIO: the process has none. Windows has no such file, and its test processes show diagnostic messages.
            return false;
        }
    }
}

namespace PerformanceTesting.XunitV3;

/// <summary>What the tests and the logger of VSTest agree on. A source of both assemblies.</summary>
internal static class TerminalPipe
{
    /// <summary>
    /// Environment variable of the test process: the name of the pipe that takes lines. The logger sets it before
    /// VSTest starts the test process.
    /// </summary>
    public const string Variable = "WFPERF_TERMINAL_PIPE";

    /// <summary>
    /// Environment variable that MSBuild sets: 1 if its terminal logger is on, which shows failed tests and warnings
    /// itself, warnings as those of the build.
    /// </summary>
    public const string TerminalLoggerVariable = "_MSBUILDTLENABLED";
}

using LoadTesting.Core.Reporting.Live;

namespace PerformanceTesting.XunitV3;

/// <summary>A line every five seconds of what a test measures.</summary>
public static class TestProgress
{
    /// <summary>Environment variable: <c>auto</c> (the default), <c>lines</c> (the same) or <c>off</c>.</summary>
    public const string Name = "WORKFLOW_PERF_PROGRESS";

    /// <exception cref="ArgumentException">The variable has a value that it cannot have.</exception>
    public static IReadOnlyList<IProgressOutput> Outputs()
    {
        TestTerminal.Prepare();
        return Environment.GetEnvironmentVariable(Name) switch
        {
            "off" => [],
            null or "" or "auto" or "lines" => [new ProgressLines(TestTerminal.Write)],
            var other => throw new ArgumentException(
                $"{Name} is '{other}'. It is 'auto' (the default), 'lines' or 'off'."),
        };
    }
}

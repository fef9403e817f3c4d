namespace PerformanceTests.Findings;

/// <summary>Findings of a load with a limit that is there on purpose, or of its twin.</summary>
/// <param name="Findings">What was found.</param>
/// <param name="OtherProcessors">Processors that processes of others used meanwhile.</param>
internal sealed record ProvokedRun(FindingsResult Findings, double OtherProcessors)
{
    private const int MaximumAttempts = 3;

    /// <summary>
    /// Measures and checks. A wrong answer fails; only where others used half of the machine or more it is measured again, since being kept
    /// from the processors is then the truth, and after three such attempts the test is inconclusive: skipped, or failed where runs are
    /// strict.
    /// </summary>
    public static async Task CheckAsync(Func<Task<ProvokedRun>> measure, Action<FindingsResult> check)
    {
        for (var attempt = 1; ; attempt++)
        {
            var run = await measure();
            TestContext.Current.TestOutputHelper?.WriteLine(FindingsText.Of(run.Findings));
            try
            {
                check(run.Findings);
                return;
            }
            catch (XunitException error) when (run.OtherProcessors >= Environment.ProcessorCount / 2.0)
            {
                if (attempt == MaximumAttempts)
                {
                    Assert.SkipUnless(Environment.GetEnvironmentVariable("WORKFLOW_PERF_STRICT") is "1", string.Create(
                        CultureInfo.InvariantCulture,
                        $"Other processes used {run.OtherProcessors:0.0} of {Environment.ProcessorCount} processors in each of {attempt} "
                        + $"attempts: {error.Message}"));
                    throw;
                }
            }
        }
    }
}

/// <summary>Findings as lines of a test's output.</summary>
internal static class FindingsText
{
    public static string Of(FindingsResult findings) => string.Join(Environment.NewLine,
    [
        string.Create(CultureInfo.InvariantCulture,
            $"response {1000 * findings.ResponseSeconds:0.0} ms, unexplained {1000 * findings.UnexplainedSeconds:0.0} ms"),
        .. findings.Ranked.Select(f => string.Create(
            CultureInfo.InvariantCulture,
            $"{f.Rank}. {f.Resource}: {1000 * f.ImpactSecondsPerOperation:0.0} ms, {f.ShareOfResponseTime:P0}, {f.Confidence}")),
        .. findings.Resources.Select(r => string.Create(
            CultureInfo.InvariantCulture,
            $"{r.Resource}: {r.State}, {1000 * r.ImpactSecondsPerOperation:0.0} ms, busy {r.Utilisation:0.00}, limit "
            + $"{r.LimitPerSecond:0}/s; {string.Join(" ", r.Evidence)}")),
    ]);
}

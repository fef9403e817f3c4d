using System.Diagnostics;
using Foundation;

namespace PerformanceTesting.XunitV3;

/// <summary>
/// Ends the tests of this process when it receives SIGINT or SIGTERM, or when <c>dotnet test</c>, <c>vstest.console</c>
/// or the test host that started it has ended: the load ends, its result is kept as a partial one, its test fails, and
/// no other test begins. A second signal kills the process.
/// </summary>
public static class TestInterruption
{
    /// <summary>How long tests may take to end; then the process is killed.</summary>
    private static readonly TimeSpan LongestEnd = TimeSpan.FromSeconds(20);

    private static readonly Lock Gate = new();
    private static readonly Lazy<RunInterruption> OfProcess = new(Start);

    private static Action? _cancelTest;
    private static ITimer? _end;
    private static int _failures;

    /// <summary>Cancelled when the tests are to end. Reading it begins to watch for what ends them.</summary>
    public static CancellationToken Ended => OfProcess.Value.Ended;

    /// <summary>Fails the first test that asks after the tests were told to end, and skips the others.</summary>
    public static void RequireNone()
    {
        if (OfProcess.Value.Reason is not { } reason)
        {
            return;
        }

        var sentence = $"The run was told to end: {reason}.";
        Assert.SkipUnless(Interlocked.Increment(ref _failures) == 1, sentence);
        Assert.Fail(sentence);
    }

    /// <summary>The test's token is cancelled when the tests are to end. One test at a time.</summary>
    internal static void Enter(ITestContext test)
    {
        RequireNone();
        lock (Gate)
        {
            _cancelTest = test.CancelCurrentTest;
        }
    }

    internal static void Leave()
    {
        lock (Gate)
        {
            _cancelTest = null;
        }
    }

    /// <summary>A test that was interrupted fails, whatever came of it so far.</summary>
    internal static void FailIfInterrupted(string summary)
    {
        if (OfProcess.Value.Reason is { } reason)
        {
            Interlocked.Increment(ref _failures);
            Assert.Fail($"The run was told to end: {reason}.{Environment.NewLine}{summary}");
        }
    }

    private static RunInterruption Start()
    {
        var interruption = new RunInterruption(StartingProcesses.Find(), told: null, TimeProvider.System);
        interruption.Ended.Register(() =>
        {
            _end = TimeProvider.System.CreateTimer(_ => KillProcess(), null, LongestEnd, Timeout.InfiniteTimeSpan);
            lock (Gate)
            {
                _cancelTest?.Invoke();
            }
        });
        interruption.GivenUp.Register(KillProcess);
        return interruption;
    }

    /// <summary>
    /// An orderly exit would wait for handlers of hosts and test framework. What the run has written so far is kept.
    /// </summary>
    private static void KillProcess()
    {
        using var self = Process.GetCurrentProcess();
        self.Kill();
    }
}

using System.Diagnostics;
using LoadTesting.Core.Load.Watches;
using Xunit.Sdk;

namespace IntegrationTests.Shared.Running;

/// <summary>Looks again and again at what other threads or processes bring about and no event reports.</summary>
public static class Eventually
{
    /// <summary>No test asserts it: on a slow machine that does much at a time, a broker takes a minute to start.</summary>
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(3);

    /// <summary>Returns when the condition holds; after three minutes the test fails with what was waited for.</summary>
    public static Task HoldsAsync(Func<bool> condition, string what) =>
        BecomesAsync(() => Task.FromResult(condition()), holds => holds, _ => what);

    /// <summary>Returns what was seen last, once it is as wanted; after three minutes the test fails with what was waited for.</summary>
    public static async Task<T> BecomesAsync<T>(Func<Task<T>> look, Func<T, bool> isWanted, Func<T, string> what)
    {
        var since = TimeProvider.System.GetTimestamp();
        while (true)
        {
            var seen = await look();
            if (isWanted(seen))
            {
                return seen;
            }

            Assert.True(TimeProvider.System.GetElapsedTime(since) < Timeout, $"Waited {Timeout.TotalSeconds} s in vain for {what(seen)}.");
            await Task.Delay(TimeSpan.FromMilliseconds(5), Cancel);
        }
    }
}

/// <summary>
/// Tests that judge real time, because their subject does. One that fails while the machine kept this process waiting is tried again; where
/// that was so in each attempt it is inconclusive: skipped, or failed where runs are strict. On a machine that keeps up it fails at once.
/// </summary>
public static class RealTime
{
    private const int MaximumAttempts = 5;

    /// <inheritdoc cref="HoldsAsync(Func{Task})"/>
    public static Task HoldsAsync(Action test) => HoldsAsync(() =>
    {
        test();
        return Task.CompletedTask;
    });

    /// <summary>Runs the test until it holds, or fails without an excuse.</summary>
    public static async Task HoldsAsync(Func<Task> test)
    {
        for (var attempt = 1; ; attempt++)
        {
            using var machine = new MachineWatch();
            try
            {
                await test();
                return;
            }
            catch (Exception error) when (
                error is not SkipException && !Cancel.IsCancellationRequested && machine.Disturbance() is { } disturbance)
            {
                if (attempt == MaximumAttempts)
                {
                    Assert.SkipUnless(
                        Environment.GetEnvironmentVariable("WORKFLOW_PERF_STRICT") is "1",
                        $"Inconclusive: {disturbance} in the last of {attempt} attempts, each of which was disturbed: {error.Message}");
                    throw;
                }
            }
        }
    }
}

/// <summary>
/// Whether the machine let this process run: a thread of its own looks at the clock every 10 ms, and on Linux the kernel says what other
/// processes used. What the process does to its own thread pool is no excuse.
/// </summary>
public sealed class MachineWatch : IDisposable
{
    private const double MostOfOthers = 0.5;
    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMilliseconds(50);
    private readonly ManualResetEventSlim _end = new();
    private readonly Thread _thread;
    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly double? _others = SecondsOfOthers();
    private TimeSpan _longest;
    private bool _isOver;

    public MachineWatch()
    {
        _thread = new Thread(Watch) { IsBackground = true, Name = "machine watch", Priority = ThreadPriority.AboveNormal };
        _thread.Start();
    }

    /// <summary>Ends watching.</summary>
    /// <returns>What kept the process waiting since the start; null where nothing did for long.</returns>
    public string? Disturbance()
    {
        var others = (SecondsOfOthers() - _others) / (Stopwatch.GetElapsedTime(_start).TotalSeconds * Environment.ProcessorCount);
        return Pause() ?? (others >= MostOfOthers ? $"other processes used {100 * others:0} % of the processors" : null);
    }

    /// <summary>Ends watching.</summary>
    /// <returns>How long it stood still, whatever others used: they may belong to the test. Null where it was not for long.</returns>
    public string? Pause()
    {
        Dispose();
        return _longest >= LongestPause ? $"this process stood still for {_longest.TotalMilliseconds:0} ms" : null;
    }

    public void Dispose()
    {
        if (!_isOver)
        {
            _isOver = true;
            _end.Set();
            _thread.Join();
            _end.Dispose();
        }
    }

    private void Watch()
    {
        bool isEnd;
        do
        {
            var before = Stopwatch.GetTimestamp();
            isEnd = _end.Wait(Tick, CancellationToken.None);
            var late = Stopwatch.GetElapsedTime(before) - Tick;
            _longest = late > _longest ? late : _longest;
        }
        while (!isEnd);
    }

    /// <summary>Of processors, since the machine started; null where nobody says. What a hypervisor gave to others is theirs too.</summary>
    private static double? SecondsOfOthers() => ProcessFiles.OfMachine.Exists
        ? ProcessFiles.OfMachine.MachineCpuSeconds() - Environment.CpuUsage.TotalTime.TotalSeconds
        : null;
}

using System.Diagnostics;
using LoadTesting.Core.Load.Watches;

namespace IntegrationTests.Shared.Running;

/// <summary>
/// Whether the machine let this process run: a dedicated thread reads the clock every 10 ms, and on Linux the
/// kernel says what other processes used. The process's own use of its thread pool does not count.
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
        _thread =
            new Thread(Watch) { IsBackground = true, Name = "machine watch", Priority = ThreadPriority.AboveNormal };
        _thread.Start();
    }

    /// <summary>Ends watching.</summary>
    /// <returns>What kept the process waiting since the start; null where nothing did for long.</returns>
    public string? Disturbance()
    {
        var others = (SecondsOfOthers() - _others)
            / (Stopwatch.GetElapsedTime(_start).TotalSeconds * Environment.ProcessorCount);
        return Pause()
            ?? (others >= MostOfOthers ? $"other processes used {100 * others:0} % of the processors" : null);
    }

    /// <summary>Ends watching.</summary>
    /// <returns>How long the process was not run, for any reason; null if not for long.</returns>
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

    /// <summary>Processor time since the machine started, stolen time included; null if unknown.</summary>
    private static double? SecondsOfOthers() => ProcessFiles.OfMachine.Exists
        ? ProcessFiles.OfMachine.MachineCpuSeconds() - Environment.CpuUsage.TotalTime.TotalSeconds
        : null;
}

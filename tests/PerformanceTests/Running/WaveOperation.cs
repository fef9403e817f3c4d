using LoadTesting.Core.Load.Events;

namespace PerformanceTests.Running;

/// <summary>One operation of a wave, by the correlation key that its events carry.</summary>
public sealed class WaveOperation(long number, string key, EventWait completion, long beganTicks)
{
    /// <summary>Its place in the wave, from 0.</summary>
    public long Number => number;

    public string Key => key;

    /// <summary>The wait for the event that ends the operation, registered before anything was sent.</summary>
    public EventWait Completion => completion;

    /// <summary>Monotonic ticks just before the operation's first request.</summary>
    public long BeganTicks => beganTicks;

    /// <summary>Monotonic ticks just before the signal's publish leaves; 0 without one.</summary>
    public long PublishedTicks { get; set; }

    /// <summary>Monotonic ticks at which the service was idle after it; 0 until then.</summary>
    public long IdleTicks { get; set; }

    /// <summary>What became of the request that makes the operation exist.</summary>
    public SendOutcome Outcome { get; set; } = SendOutcome.NotSent;
}

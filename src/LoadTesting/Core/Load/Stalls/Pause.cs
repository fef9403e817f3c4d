namespace LoadTesting.Core.Load.Stalls;

/// <summary>A time during which something stood still.</summary>
/// <param name="From">In Stopwatch ticks.</param>
/// <param name="To">In Stopwatch ticks.</param>
/// <param name="Kind">What stood still.</param>
internal readonly record struct Pause(long From, long To, PauseKind Kind);

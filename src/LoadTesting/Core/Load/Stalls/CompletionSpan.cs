namespace LoadTesting.Core.Load.Stalls;

/// <summary>Completions on one processor that follow each other without a long gap.</summary>
/// <param name="First">The first completion, in Stopwatch ticks.</param>
/// <param name="Last">The last completion.</param>
/// <param name="BusySince">At the first completion: since when iterations had been in flight without a break.</param>
/// <param name="InFlight">Iterations in flight at the first completion.</param>
internal readonly record struct CompletionSpan(long First, long Last, long BusySince, long InFlight);

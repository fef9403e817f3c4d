namespace LoadTesting.Core.Load.Live;

/// <summary>The measurements of an interval of a running load.</summary>
/// <param name="From">Its beginning, from the start of the load.</param>
/// <param name="To">Its end: a multiple of the interval, or the end of the load, for which it may be a second
/// longer.</param>
/// <param name="IsLast">Whether it ends with the load.</param>
/// <param name="Scenarios">The scenarios in the given order.</param>
/// <param name="StopCurrentTest">Stops all scenarios for a reason.</param>
public sealed record LoadInterval(
    TimeSpan From, TimeSpan To, bool IsLast, IReadOnlyList<ScenarioInterval> Scenarios, Action<string> StopCurrentTest);

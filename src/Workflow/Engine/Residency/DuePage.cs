namespace Workflow.Engine.Residency;

/// <summary>Timers of dormant instances that are read together, in the order in which they are due.</summary>
/// <param name="After">The last one of the page before; null if this is the first.</param>
/// <param name="Until">When the last one may be due.</param>
/// <param name="Limit">The most timers.</param>
internal sealed record DuePage((DateTimeOffset DueUtc, Guid Id)? After, DateTimeOffset Until, int Limit);

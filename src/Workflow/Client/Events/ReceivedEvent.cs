using Workflow.Contracts.Events;

namespace Workflow.Client.Events;

/// <summary>An event as it arrived.</summary>
/// <param name="Position">Where a stream that begins after this event resumes.</param>
/// <param name="ReceivedTicks">
/// Monotonic ticks (<see cref="System.Diagnostics.Stopwatch"/>) at which its frame was complete, before its JSON was
/// read.
/// </param>
public sealed record ReceivedEvent(IntegrationEvent Event, string Position, long ReceivedTicks);

using Workflow.Contracts.Events;

namespace Workflow.Abstractions;

/// <summary>An event and the position after it.</summary>
/// <param name="Event">The event.</param>
/// <param name="Position">Where to resume.</param>
public sealed record PositionedEvent(IntegrationEvent Event, EventPosition Position);

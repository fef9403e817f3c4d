using Workflow.Contracts.Events;

namespace Workflow.Abstractions;

/// <summary>An event and the position after it.</summary>
/// <param name="Position">Where to resume.</param>
/// <param name="Missed">
/// Events of its stream right before it that were trimmed before they could be read; of the first event besides those
/// of <see cref="EventBegin.Missed"/>.
/// </param>
public sealed record PositionedEvent(IntegrationEvent Event, EventPosition Position, long Missed = 0);

using System.Buffers.Binary;
using Workflow.Contracts.Instances;

namespace Workflow.Abstractions;

/// <summary>Which instances to list; null members do not restrict.</summary>
public sealed record InstanceQuery
{
    public string? Definition { get; init; }
    public InstanceState? State { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>
    /// Only instances that were started at this instant or later, to the millisecond. That is the instant in the id:
    /// when the start was requested; <c>createdUtc</c> is later by the time the command waited.
    /// </summary>
    public DateTimeOffset? StartedFrom { get; init; }

    /// <summary>Only instances that were started before this instant.</summary>
    public DateTimeOffset? StartedTo { get; init; }

    /// <summary>Only ids after this one.</summary>
    public Guid? After { get; init; }

    /// <summary>Only ids before this one.</summary>
    public Guid? Before { get; init; }

    /// <summary>
    /// Newest id first; false (the default) lists the oldest first. The next page then ends before the last id of this
    /// one: pass that as <see cref="Before"/>.
    /// </summary>
    public bool NewestFirst { get; init; }

    /// <summary>The maximum number of instances, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;

    /// <summary>
    /// The query with its instants converted to bounds of ids. Stores read only the bounds: ids are ordered by instant.
    /// </summary>
    public InstanceQuery WithBounds() => this with
    {
        StartedFrom = null,
        StartedTo = null,
        After = StartedFrom is { } from && (After is null || LowestId(from) > After) ? LowestId(from) : After,
        Before = StartedTo is { } to && (Before is null || LowestId(to) < Before) ? LowestId(to) : Before,
    };

    /// <summary>An id below every id of the instant's millisecond and above all earlier ids.</summary>
    public static Guid LowestId(DateTimeOffset instant)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bytes, Math.Max(0, instant.ToUnixTimeMilliseconds()) << 16);
        return new Guid(bytes, bigEndian: true);
    }
}

using System.Buffers.Binary;
using Workflow.Abstractions.Stores;
using Workflow.Contracts.Instances;

namespace Workflow.Abstractions;

/// <summary>Which instances to list; null members do not restrict.</summary>
public sealed record InstanceQuery
{
    public string? Definition { get; init; }

    /// <summary>Only instances of definitions whose name begins with this.</summary>
    public string? DefinitionPrefix { get; init; }

    public InstanceState? State { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>Only instances whose correlation key begins with this.</summary>
    public string? CorrelationKeyPrefix { get; init; }

    /// <summary>
    /// Only instances whose id begins with this: characters of its text with the hyphens, e.g. <c>01890a5d-ac</c>.
    /// </summary>
    public string? IdPrefix { get; init; }

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

    /// <summary>The ids and the order of the list, for stores.</summary>
    public ListBounds Bounds => new(After, Before, NewestFirst);

    /// <summary>The maximum number of instances, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;

    /// <summary>
    /// The maximum number of rows that a page may look at. A page that ends for this reason may have fewer instances
    /// than <see cref="Limit"/>, or none, and has a next page. Null (the default) does not restrict.
    /// </summary>
    public int? MostExamined { get; init; }

    /// <summary>
    /// The query with its instants and its prefix of an id converted to bounds of ids. Stores read only the bounds: ids
    /// are ordered by instant.
    /// </summary>
    /// <exception cref="ArgumentException">No id begins with <see cref="IdPrefix"/>.</exception>
    public InstanceQuery WithBounds()
    {
        var (after, before) = (After, Before);
        if (StartedFrom is { } from)
        {
            after = Later(after, LowestId(from));
        }

        if (StartedTo is { } to)
        {
            before = Earlier(before, LowestId(to));
        }

        if (IdPrefix is { } prefix)
        {
            var (lowest, highest) = IdBounds.OfPrefix(prefix)
                ?? throw new ArgumentException($"No id begins with '{prefix}'.");
            (after, before) = (Later(after, IdBounds.Before(lowest)), Earlier(before, IdBounds.After(highest)));
        }

        return this with { StartedFrom = null, StartedTo = null, IdPrefix = null, After = after, Before = before };
    }

    private static Guid Later(Guid? bound, Guid other) => bound > other ? bound.Value : other;
    private static Guid Earlier(Guid? bound, Guid other) => bound < other ? bound.Value : other;

    /// <summary>An id below every id of the instant's millisecond and above all earlier ids.</summary>
    public static Guid LowestId(DateTimeOffset instant)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bytes, Math.Max(0, instant.ToUnixTimeMilliseconds()) << 16);
        return new Guid(bytes, bigEndian: true);
    }
}

using System.Buffers.Binary;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions;

/// <summary>Which instances to list; null members do not restrict.</summary>
public sealed record InstanceQuery
{
    public string? Definition { get; init; }
    public InstanceState? State { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>
    /// Only instances that were started at this instant or later, to the millisecond. That is the instant in the id: when the start was
    /// requested; <c>createdUtc</c> is later by the time the command waited.
    /// </summary>
    public DateTimeOffset? StartedFrom { get; init; }

    /// <summary>Only instances that were started before this instant.</summary>
    public DateTimeOffset? StartedTo { get; init; }

    /// <summary>Only ids after this one.</summary>
    public Guid? After { get; init; }

    /// <summary>Only ids before this one.</summary>
    public Guid? Before { get; init; }

    /// <summary>At most so many, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;

    /// <summary>The same with its instants as bounds of ids, which is all that stores look at: ids are in order of them.</summary>
    public InstanceQuery WithBounds() => this with
    {
        StartedFrom = null,
        StartedTo = null,
        After = StartedFrom is { } from && (After is null || LowestId(from) > After) ? LowestId(from) : After,
        Before = StartedTo is { } to && (Before is null || LowestId(to) < Before) ? LowestId(to) : Before,
    };

    /// <summary>Below every id of the instant's millisecond, and above all earlier ones.</summary>
    public static Guid LowestId(DateTimeOffset instant)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bytes, Math.Max(0, instant.ToUnixTimeMilliseconds()) << 16);
        return new Guid(bytes, bigEndian: true);
    }
}

/// <summary>Which tasks to list; null members do not restrict.</summary>
public sealed record TaskQuery
{
    /// <summary>Who has them.</summary>
    public string? Assignee { get; init; }

    public string? Group { get; init; }
    public TaskState? State { get; init; }
    public Guid? After { get; init; }
    public int Limit { get; init; } = 100;
}

/// <summary>Which dead letters to list; null members do not restrict.</summary>
public sealed record DeadLetterQuery
{
    /// <summary>Only replayed ones (true), or only open ones (false, the default). Replayed ones are kept as long as events are.</summary>
    public bool Replayed { get; init; }

    public DeadLetterKind? Kind { get; init; }
    public Guid? InstanceId { get; init; }
    public Guid? After { get; init; }
    public int Limit { get; init; } = 100;
}

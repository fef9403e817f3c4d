using System.Text.Json.Serialization;
using Workflow.Contracts.DeadLetters;
using Workflow.Contracts.Instances;
using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>An instance as stored.</summary>
public sealed record InstanceRow
{
    /// <summary>Id (UUID version 7 whose last byte is the partition).</summary>
    public required Guid Id { get; init; }

    public required short Partition { get; init; }
    public required string Definition { get; init; }
    public required int DefinitionVersion { get; init; }

    /// <summary>Counts the commits that changed the instance, from 1.</summary>
    public required long Revision { get; init; }

    public required InstanceState State { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>Variables, waits, forks, output and error as JSON, written and read by the engine alone.</summary>
    public required string Body { get; init; }

    /// <summary>History lines to append (JSON, one a line, each ended by a line feed); empty when read.</summary>
    public string History { get; init; } = "";

    /// <summary>
    /// What of <see cref="History"/> a store with tables keeps in the instance's own row: that of its first eight commits. What grew there
    /// would be written again by every commit.
    /// </summary>
    [JsonIgnore]
    public string HistoryInRow => Revision > 8 ? "" : History;

    /// <summary>The history of this commit is a row of its own, by instance and revision.</summary>
    [JsonIgnore]
    public bool HasHistoryApart => HistoryInRow.Length < History.Length;

    /// <summary>Whether it has ended: it is no lane's any more, unless it has failed and is retried.</summary>
    [JsonIgnore]
    public bool IsOver => State > InstanceState.Suspended;

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }
}

/// <summary>What a row of an instance replaces in the store.</summary>
public enum InstanceOrigin
{
    /// <summary>Nothing: its id was never stored. Revision 1.</summary>
    New,

    /// <summary>A live instance, stored with one revision less.</summary>
    Live,

    /// <summary>One that had failed and was retried, stored as failed with one revision less; its history goes on.</summary>
    Failed,
}

/// <summary>An instance as it is from now on, live or over, and what that replaces.</summary>
public readonly record struct InstanceWrite(InstanceOrigin Origin, InstanceRow Row);

/// <summary>An instance has called another as a sub-workflow. Both are of the same partition.</summary>
public sealed record ChildRow(Guid ParentId, Guid ChildId);

/// <summary>A registered definition.</summary>
/// <param name="ContentHash">SHA-256 of the canonical JSON.</param>
/// <param name="Number">Given by the store: 1, 2, 3 and so on in the order of the commits. 0 before.</param>
public sealed record DefinitionRow(
    string Name, int Version, string ContentHash, string Body, DateTimeOffset RegisteredUtc, long Number = 0);

/// <summary>
/// Something live of a lane beside its instances. It is added, read in order of position with its lane, and removed; nothing else.
/// </summary>
/// <param name="Id">One id may come again as another kind: in the commit that handles a message a signal may take its place.</param>
/// <param name="Partition">The partition that it is for.</param>
/// <param name="Position">Order within its kind.</param>
/// <param name="Body">JSON, written and read by the engine alone.</param>
public sealed record PendingRow(Guid Id, short Partition, PendingKind Kind, long Position, string Body);

/// <summary>Kinds of pending rows. The numbers are stored.</summary>
public enum PendingKind
{
    /// <summary>A signal that is accepted and not yet consumed.</summary>
    Signal = 0,

    /// <summary>The wait of an instance of another partition, kept where its correlation key lives.</summary>
    Subscription = 1,

    /// <summary>A durable message from another partition or node: the inbox of its partition, read again and again.</summary>
    Message = 2,
}

/// <summary>What a batch writes of a task: a new row, or a change of a stored one.</summary>
public interface ITaskWrite
{
    /// <summary>The task.</summary>
    Guid Id { get; }
}

/// <summary>A task as stored. The instance's own row decides; this one, written in the same commits, is what people are shown.</summary>
public sealed record TaskRow : ITaskWrite
{
    /// <summary>Id (UUID version 7 whose last byte is the partition).</summary>
    public required Guid Id { get; init; }

    public required short Partition { get; init; }

    /// <summary>The instance that waits for it.</summary>
    public required Guid InstanceId { get; init; }

    public required string Definition { get; init; }
    public required int DefinitionVersion { get; init; }
    public string? CorrelationKey { get; init; }
    public required string Step { get; init; }
    public required TaskState State { get; init; }

    /// <summary>Who has it; null for nobody.</summary>
    public string? Assignee { get; init; }

    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>What it was completed with, as JSON.</summary>
    public string? Output { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }

    /// <summary>When its time is over (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueUtc { get; init; }

    /// <summary>The row after a change.</summary>
    public TaskRow With(TaskChange change) =>
        this with { State = change.State, Assignee = change.Assignee, Output = change.Output, UpdatedUtc = change.UpdatedUtc };
}

/// <summary>What becomes of a stored task, which must be open.</summary>
/// <param name="State">Its state from now on: open where it is only assigned.</param>
/// <param name="Assignee">Who has it, or had it when it ended; null for nobody.</param>
/// <param name="Output">What it was completed with, as JSON; null otherwise.</param>
public sealed record TaskChange(Guid Id, TaskState State, string? Assignee, string? Output, DateTimeOffset UpdatedUtc) : ITaskWrite;

/// <summary>What a batch writes of a dead letter: a new row, or a change of an open one.</summary>
public interface IDeadLetterWrite
{
    /// <summary>The dead letter.</summary>
    Guid Id { get; }
}

/// <summary>A dead letter as stored.</summary>
public sealed record DeadLetterRow : IDeadLetterWrite
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required DeadLetterKind Kind { get; init; }

    /// <summary>Id of the signal, the wait or the message.</summary>
    public required Guid SubjectId { get; init; }

    /// <summary>The instance it is for; null where a correlation key decides that.</summary>
    public Guid? InstanceId { get; init; }

    public required string Reason { get; init; }

    /// <summary>Attempts so far, from 1.</summary>
    public required int Attempts { get; init; }

    /// <summary>The work as JSON, written and read by the engine alone.</summary>
    public required string Payload { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset LastAttemptUtc { get; init; }

    /// <summary>When it was replayed (UTC); null while it is open.</summary>
    public DateTimeOffset? ReplayedUtc { get; init; }

    /// <summary>Whether the replay had its effect; null if and only if it is open.</summary>
    public bool? Applied { get; init; }

    /// <summary>The row after a change.</summary>
    public DeadLetterRow With(DeadLetterChange change) => this with
    {
        Reason = change.Reason,
        Attempts = change.Attempts,
        LastAttemptUtc = change.LastAttemptUtc,
        ReplayedUtc = change.Applied is null ? null : change.LastAttemptUtc,
        Applied = change.Applied,
    };
}

/// <summary>An open dead letter was tried again.</summary>
/// <param name="Attempts">Attempts with this one.</param>
/// <param name="Applied">Whether the replay had its effect; null when it failed and the dead letter stays open. Any other value closes it
/// at <paramref name="LastAttemptUtc"/>.</param>
public sealed record DeadLetterChange(Guid Id, string Reason, int Attempts, DateTimeOffset LastAttemptUtc, bool? Applied)
    : IDeadLetterWrite;

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

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }
}

/// <summary>An instance has called another as a sub-workflow. Both are of the same partition.</summary>
public sealed record ChildRow(Guid ParentId, Guid ChildId);

/// <summary>A registered definition.</summary>
/// <param name="ContentHash">SHA-256 of the canonical JSON.</param>
public sealed record DefinitionRow(string Name, int Version, string ContentHash, string Body, DateTimeOffset RegisteredUtc);

/// <summary>A signal that is accepted and not yet consumed.</summary>
public sealed record SignalRow
{
    public required Guid Id { get; init; }
    public required short Partition { get; init; }
    public required string Name { get; init; }

    /// <summary>Correlation key; null when sent to an instance.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>The instance it was sent to; null when sent by key.</summary>
    public Guid? InstanceId { get; init; }

    public string? Payload { get; init; }

    /// <summary>Order of acceptance within the lane.</summary>
    public required long Position { get; init; }

    public required DateTimeOffset AcceptedUtc { get; init; }

    /// <summary>When it is to be delivered (UTC); null for at once.</summary>
    public DateTimeOffset? DueUtc { get; init; }

    public required DateTimeOffset ExpiresUtc { get; init; }

    /// <summary>
    /// The trace context of its sender, as a W3C <c>traceparent</c>. The engine's own: a store does not keep it, and after a restart it is
    /// gone.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? TraceParent { get; init; }
}

/// <summary>The wait of an instance of another partition, kept where its correlation key lives.</summary>
/// <param name="Position">Order in which waits began; the oldest is served first.</param>
public sealed record SubscriptionRow(Guid WaitId, short Partition, string Name, string CorrelationKey, Guid InstanceId, long Position);

/// <summary>A task as stored. The instance's own row decides; this one, written in the same commits, is what people are shown.</summary>
public sealed record TaskRow
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
public sealed record TaskChange(Guid Id, TaskState State, string? Assignee, string? Output, DateTimeOffset UpdatedUtc);

/// <summary>A dead letter as stored.</summary>
public sealed record DeadLetterRow
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
}

/// <summary>An open dead letter was tried again.</summary>
/// <param name="Attempts">Attempts with this one.</param>
/// <param name="Applied">Whether the replay had its effect; null when it failed and the dead letter stays open. Any other value closes it
/// at <paramref name="LastAttemptUtc"/>.</param>
public sealed record DeadLetterChange(Guid Id, string Reason, int Attempts, DateTimeOffset LastAttemptUtc, bool? Applied);

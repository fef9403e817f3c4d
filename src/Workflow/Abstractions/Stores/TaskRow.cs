using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>
/// A task as stored. The instance's own row decides; this one, written in the same commits, is what people are shown.
/// </summary>
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

    /// <summary>The assignee; null for none.</summary>
    public string? Assignee { get; init; }

    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>What it was completed with, as JSON.</summary>
    public string? Output { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }

    /// <summary>When its time is over (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueUtc { get; init; }

    /// <summary>The row after a change.</summary>
    public TaskRow With(TaskChange change) => this with
    {
        State = change.State, Assignee = change.Assignee, Output = change.Output, UpdatedUtc = change.UpdatedUtc,
    };
}

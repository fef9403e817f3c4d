using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

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
    public TaskRow With(TaskChange change)
    {
        ArgumentNullException.ThrowIfNull(change);
        return this with { State = change.State, Assignee = change.Assignee, Output = change.Output, UpdatedUtc = change.UpdatedUtc };
    }
}

/// <summary>What becomes of a stored task, which must be open.</summary>
/// <param name="State">Its state from now on: open where it is only assigned.</param>
/// <param name="Assignee">Who has it, or had it when it ended; null for nobody.</param>
/// <param name="Output">What it was completed with, as JSON; null otherwise.</param>
public sealed record TaskChange(Guid Id, TaskState State, string? Assignee, string? Output, DateTimeOffset UpdatedUtc);

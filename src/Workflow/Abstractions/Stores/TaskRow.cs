using Workflow.Contracts.Tasks;

namespace Workflow.Abstractions.Stores;

/// <summary>
/// A stored task, for queries. It is written in the commits of its instance, whose row is authoritative.
/// </summary>
public sealed record TaskRow : ITaskWrite
{
    /// <summary>Id (UUID version 7 whose last byte is the partition).</summary>
    public required Guid Id { get; init; }

    public required short Partition { get; init; }

    /// <summary>The instance that waits for the task.</summary>
    public required Guid InstanceId { get; init; }

    public required string Definition { get; init; }
    public required int DefinitionVersion { get; init; }
    public string? CorrelationKey { get; init; }
    public required string Step { get; init; }
    public required TaskState State { get; init; }

    /// <summary>The assignee; null for none.</summary>
    public string? Assignee { get; init; }

    public required IReadOnlyList<string> Groups { get; init; }

    /// <summary>The output that the task was completed with, as JSON.</summary>
    public string? Output { get; init; }

    public required DateTimeOffset CreatedUtc { get; init; }
    public required DateTimeOffset UpdatedUtc { get; init; }

    /// <summary>When the task times out (UTC); null without a time-out.</summary>
    public DateTimeOffset? DueUtc { get; init; }

    /// <summary>The row after a change.</summary>
    public TaskRow With(TaskChange change) => this with
    {
        State = change.State, Assignee = change.Assignee, Output = change.Output, UpdatedUtc = change.UpdatedUtc,
    };
}

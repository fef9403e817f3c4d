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

    /// <summary>Only ids after this one.</summary>
    public Guid? After { get; init; }

    /// <summary>At most so many, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;
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

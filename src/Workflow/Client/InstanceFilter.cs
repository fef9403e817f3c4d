using Workflow.Contracts.Instances;

namespace Workflow.Client;

/// <summary>Which instances; null members do not restrict.</summary>
public sealed record InstanceFilter
{
    public string? Definition { get; init; }

    /// <summary>Only instances of definitions whose name begins with this.</summary>
    public string? DefinitionPrefix { get; init; }

    public InstanceState? State { get; init; }
    public string? CorrelationKey { get; init; }

    /// <summary>Only instances whose correlation key begins with this.</summary>
    public string? CorrelationKeyPrefix { get; init; }

    /// <summary>Only instances whose id begins with this, e.g. <c>01890a5d-ac</c>.</summary>
    public string? IdPrefix { get; init; }

    /// <summary>Only instances whose start was requested at or after this time, to the millisecond.</summary>
    public DateTimeOffset? StartedFrom { get; init; }

    /// <summary>Only instances whose start was requested before this time.</summary>
    public DateTimeOffset? StartedTo { get; init; }
}

using Workflow.Contracts.Instances;

namespace Workflow.Abstractions.Stores;

/// <summary>Which instances to list; null members do not restrict.</summary>
public sealed record InstanceQuery
{
    /// <summary>Definition name.</summary>
    public string? Definition { get; init; }

    /// <summary>State.</summary>
    public InstanceState? State { get; init; }

    /// <summary>Correlation key.</summary>
    public string? CorrelationKey { get; init; }

    /// <summary>Only ids after this one.</summary>
    public Guid? After { get; init; }

    /// <summary>At most so many, 1 to 1,000; 100 by default.</summary>
    public int Limit { get; init; } = 100;
}

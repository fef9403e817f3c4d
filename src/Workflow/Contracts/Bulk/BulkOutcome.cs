namespace Workflow.Contracts.Bulk;

/// <summary>What became of one item of a bulk action.</summary>
public enum BulkOutcome
{
    /// <summary>The action had an effect, which is durable.</summary>
    Done,

    /// <summary>An earlier or simultaneous request has done it: nothing was changed.</summary>
    Unchanged,

    /// <summary>The action was refused and has no effect.</summary>
    Refused,

    /// <summary>The action may or may not be durable: repeat the request with the same key.</summary>
    Unknown,
}

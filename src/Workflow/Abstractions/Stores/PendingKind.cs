namespace Workflow.Abstractions.Stores;

/// <summary>Kinds of pending rows. The numbers are stored.</summary>
public enum PendingKind
{
    /// <summary>A signal that is accepted and not yet consumed.</summary>
    Signal = 0,

    /// <summary>A wait of an instance in another partition, stored in the partition of its correlation key.</summary>
    Subscription = 1,

    /// <summary>
    /// A durable message from another partition or node. The lane of its partition polls for messages.
    /// </summary>
    Message = 2,
}

namespace Workflow.Abstractions.Stores;

/// <summary>Kinds of pending rows. The numbers are stored.</summary>
public enum PendingKind
{
    /// <summary>A signal that is accepted and not yet consumed.</summary>
    Signal = 0,

    /// <summary>The wait of an instance of another partition, kept where its correlation key lives.</summary>
    Subscription = 1,

    /// <summary>
    /// A durable message from another partition or node: the inbox of its partition, read again and again.
    /// </summary>
    Message = 2,
}

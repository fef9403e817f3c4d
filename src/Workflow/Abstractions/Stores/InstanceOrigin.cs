namespace Workflow.Abstractions.Stores;

/// <summary>What a row of an instance replaces in the store.</summary>
public enum InstanceOrigin
{
    /// <summary>Nothing: its id was never stored. Revision 1.</summary>
    New,

    /// <summary>A live instance, stored with one revision less.</summary>
    Live,

    /// <summary>
    /// One that had failed and was retried, stored as failed with one revision less; its history goes on.
    /// </summary>
    Failed,
}

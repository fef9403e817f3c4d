namespace Workflow.Contracts.Instances;

public enum InstanceState
{
    /// <summary>It has work that runs now, e.g. an activity.</summary>
    Running,

    /// <summary>It waits for signals, timers, tasks or sub-workflows only.</summary>
    Waiting,

    /// <summary>
    /// It was suspended: what it waits for may come and is kept, but it goes on only once it is resumed.
    /// </summary>
    Suspended,

    Completed,

    /// <summary>It stopped with an incident. A retry lets it go on where it stopped.</summary>
    Failed,

    Cancelled,
}

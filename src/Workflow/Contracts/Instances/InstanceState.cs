namespace Workflow.Contracts.Instances;

/// <summary>The states of an instance.</summary>
public enum InstanceState
{
    /// <summary>It has work that runs now, e.g. an activity.</summary>
    Running,

    /// <summary>It waits for signals, timers, tasks or sub-workflows only.</summary>
    Waiting,

    /// <summary>It was paused by an administrator.</summary>
    Suspended,

    /// <summary>It reached its end.</summary>
    Completed,

    /// <summary>It stopped with an incident.</summary>
    Failed,

    /// <summary>It was cancelled.</summary>
    Cancelled,
}

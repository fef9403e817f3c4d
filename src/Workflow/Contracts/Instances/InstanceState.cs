namespace Workflow.Contracts.Instances;

/// <summary>The states of an instance. Completed and cancelled are final.</summary>
public enum InstanceState
{
    /// <summary>Work of the instance is running, e.g. an activity.</summary>
    Running,

    /// <summary>The instance waits for signals, timers, tasks or sub-workflows only.</summary>
    Waiting,

    /// <summary>
    /// Suspended by a request: signals, results and timers are kept, and the instance continues when it is resumed.
    /// </summary>
    Suspended,

    Completed,

    /// <summary>Stopped by an incident. A retry continues where the instance stopped.</summary>
    Failed,

    Cancelled,
}

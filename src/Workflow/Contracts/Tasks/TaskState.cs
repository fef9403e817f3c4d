namespace Workflow.Contracts.Tasks;

/// <summary>The states of a task. All but open are final.</summary>
public enum TaskState
{
    /// <summary>The task waits for a person.</summary>
    Open,

    Completed,

    /// <summary>The instance ended, or continued without the task.</summary>
    Cancelled,

    /// <summary>The time-out of the task expired.</summary>
    TimedOut,
}

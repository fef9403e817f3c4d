namespace Workflow.Contracts.Tasks;

/// <summary>The states of a task. Every other than open is final.</summary>
public enum TaskState
{
    /// <summary>It waits for a person.</summary>
    Open,

    Completed,

    /// <summary>Its instance ended, or went on without it.</summary>
    Cancelled,

    /// <summary>Its time was over.</summary>
    TimedOut,
}

namespace Workflow.Diagrams.Graphs;

/// <summary>What an instance has done with a step.</summary>
public enum NodeState
{
    None,
    Done,

    /// <summary>Its activity runs now, or, of a sub-process, the instance is inside.</summary>
    Active,

    /// <summary>It waits for a signal, a time, a person, a sub-workflow or the next attempt.</summary>
    Waiting,

    /// <summary>
    /// It ended with an error, whether something handled that or not; or the incident is here, or inside.
    /// </summary>
    Failed,

    /// <summary>Its timeout ended it.</summary>
    TimedOut,

    /// <summary>
    /// Something else ended it before it was done: an event at its boundary, or the end of what it is in.
    /// </summary>
    Cancelled,
}

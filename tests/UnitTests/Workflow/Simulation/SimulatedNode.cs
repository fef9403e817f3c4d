using Workflow.Engine;

namespace UnitTests.Workflow.Simulation;

/// <summary>One life of a node: a process with an engine.</summary>
internal sealed class SimulatedNode(SimulatedProcess process, WorkflowEngine engine)
{
    public SimulatedProcess Process => process;
    public WorkflowEngine Engine => engine;

    /// <summary>Whether it has started and was not asked to stop.</summary>
    public bool IsUp { get; set; }
}

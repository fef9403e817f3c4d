using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;
using Workflow.Engine.Commands;

namespace UnitTests.Workflow.Engine;

/// <summary>Owns every partition, and has nothing else.</summary>
internal sealed class NoHost : ILaneHost
{
    public int Stream => 0;

    public bool Owns(short partition) => true;

    public WorkflowDefinition? FindDefinition(string name, int? version) => null;

    public WorkflowDefinition GetDefinition(string name, int version) =>
        throw new DefinitionNotFoundException(name, version);

    public WorkflowDefinition? FindStartedBy(string signalName) => null;

    public Activity? FindActivity(string name) => null;

    public SignalReceiver? FindReceiver(string signalName) => null;

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace) =>
        Assert.Fail(activity.Name);

    public void ForgetActivity(Guid waitId) => Assert.Fail("No wait is over.");

    public void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload) => Assert.Fail(key);
}

using Workflow.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Events;

namespace Workflow.Engine.Execution;

/// <summary>What an executor needs of its lane: ownership of partitions, and work that is launched after a commit.</summary>
internal interface ILaneHost
{
    int Stream { get; }

    bool Owns(short partition);

    /// <summary>A registered definition, the newest where no version is given; null when there is none.</summary>
    WorkflowDefinition? FindDefinition(string name, int? version);

    Activity? FindActivity(string name);

    SignalReceiver? FindReceiver(string signalName);

    void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input);

    void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload);
}

using Workflow.Abstractions.Activities;

namespace Workflow.Engine.Commands;

/// <summary>
/// What handlers need from their lane: ownership of partitions, definitions, and the launch of work after the commit.
/// </summary>
internal interface ILaneHost
{
    int Stream { get; }

    bool Owns(short partition);

    /// <summary>Finds a registered definition, the newest if no version is given; null if there is none.</summary>
    WorkflowDefinition? FindDefinition(string name, int? version);

    /// <summary>The definition of a stored instance.</summary>
    /// <exception cref="DefinitionNotFoundException">There is none.</exception>
    WorkflowDefinition GetDefinition(string name, int version);

    /// <summary>Finds the definition that a signal without a waiter starts; null if there is none.</summary>
    WorkflowDefinition? FindStartedBy(string signalName);

    Activity? FindActivity(string name);

    SignalReceiver? FindReceiver(string signalName);

    void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace);

    /// <summary>The wait of an activity has ended: the activity is not called if the call has not begun.</summary>
    void ForgetActivity(Guid waitId);

    void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload);
}

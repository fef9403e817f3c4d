using Workflow.Abstractions.Activities;
using Workflow.Engine.Activities;

namespace Workflow.Engine.Lanes;

/// <summary>The lane as its handlers see it.</summary>
internal sealed class LaneHost(
    LaneAssignment assignment, LaneServices services, LaneIntake intake, LaneWork work) : ILaneHost
{
    public int Stream => assignment.Index;

    public bool Owns(short partition) => assignment.Owns(partition);

    public WorkflowDefinition? FindDefinition(string name, int? version) => services.Definitions.Find(name, version);

    public WorkflowDefinition? FindStartedBy(string signalName) => services.Definitions.FindStartedBy(signalName);

    public Activity? FindActivity(string name) => services.Activities.GetValueOrDefault(name);

    public SignalReceiver? FindReceiver(string signalName) => services.Receivers.GetValueOrDefault(signalName);

    public void LaunchActivity(Guid instanceId, Guid waitId, Activity activity, Value input, string? trace) =>
        work.LaunchActivity(instanceId, waitId, activity, input, trace);

    public void ForgetActivity(Guid waitId) => work.ForgetActivity(waitId);

    public void LaunchReceiver(Guid signalId, SignalReceiver receiver, string key, Value payload) =>
        work.LaunchReceiver(signalId, receiver, key, payload);

    /// <summary>
    /// Launches the loaded activities and receivers again. Those that are still running are not launched twice.
    /// </summary>
    public void Relaunch(LaneState loaded, Func<DeadLetterKind, Guid, bool> isDeadLettered)
    {
        foreach (var instance in loaded.Instances.Live.Values)
        {
            if (instance.State == InstanceState.Suspended)
            {
                // Launched when the instance is resumed.
                continue;
            }

            var running = instance.Waits.Where(
                w => w.IsActivityRunning && !isDeadLettered(DeadLetterKind.Activity, w.Id));
            foreach (var wait in running)
            {
                if (FindActivity(wait.Name!) is { } activity)
                {
                    LaunchActivity(instance.Id, wait.Id, activity, wait.Input, instance.Trace);
                }
                else
                {
                    intake.PostInternal(new ActivityLaneCommand(
                        instance.Id, wait.Id, default, new("it is not registered with this engine", IsFinal: true)));
                }
            }
        }

        foreach (var signal in loaded.SignalStore.Receiving.Where(s => !isDeadLettered(DeadLetterKind.Signal, s.Id)))
        {
            LaunchReceiver(signal.Id, FindReceiver(signal.Name)!, signal.CorrelationKey!, signal.ReadPayload());
        }
    }
}

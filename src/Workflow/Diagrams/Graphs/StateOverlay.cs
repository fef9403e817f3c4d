using Workflow.Contracts.Instances;

namespace Workflow.Diagrams.Graphs;

/// <summary>
/// What an instance has done, read from its state and its history. Activities that run within a command leave no line
/// there, nor do set, decide, fork, join and raise once it is long; they count as done where the graph leaves no other
/// way: a step dominates what was reached, or is the only way on from what was passed. What is not certain is not
/// shown. A step that ended with an error, by its timeout or before it was done is no done one, whatever follows it. A
/// sub-process is active while something rests inside.
/// </summary>
public static class StateOverlay
{
    /// <param name="graph">The graph of the instance's definition and version.</param>
    public static DiagramOverlay Of(DiagramGraph graph, InstanceView instance, IReadOnlyList<HistoryEntry> history)
    {
        var passed = new PassedSteps(graph, instance, history);
        var states = passed.Steps.ToDictionary(step => step, _ => NodeState.Done, StringComparer.Ordinal);
        StepOutcomes.Of(graph, instance, history, passed.Edges).Apply(states);
        foreach (var (step, state) in Places(new SubProcesses(graph), instance))
        {
            states[step] = state;
        }

        return new DiagramOverlay
        {
            Caption = $"instance {instance.Id}, {JsonNamingPolicy.CamelCase.ConvertName(instance.State.ToString())}",
            States = states,
            Taken = passed.Edges,
        };
    }

    /// <summary>
    /// How many of the instances stand at each step: where they wait, run, or have failed; at a sub-process, how many
    /// are inside.
    /// </summary>
    /// <param name="graph">The graph of the instances' definition and version.</param>
    /// <param name="complete">False when there are more instances than were counted.</param>
    public static DiagramOverlay Counting(DiagramGraph graph, IEnumerable<InstanceView> instances, bool complete = true)
    {
        var subProcesses = new SubProcesses(graph);
        var counts = new Dictionary<string, NodeCounts>(StringComparer.Ordinal);
        var total = 0;
        foreach (var instance in instances)
        {
            total++;

            // The places of a failed instance are where it failed, not what it kept for a retry.
            var isFailed = instance.State == InstanceState.Failed;
            foreach (var (step, state) in Places(subProcesses, instance)
                .Where(place => !isFailed || place.Value == NodeState.Failed))
            {
                var sum = counts.GetValueOrDefault(step);
                counts[step] = state switch
                {
                    NodeState.Failed => sum with { Failed = sum.Failed + 1 },
                    NodeState.Active => sum with { Active = sum.Active + 1 },
                    _ => sum with { Waiting = sum.Waiting + 1 },
                };
            }
        }

        var shown = total.ToString("N0", CultureInfo.InvariantCulture);
        return new DiagramOverlay
        {
            Caption = complete
                ? $"{shown} unfinished or failed instances"
                : $"the first {shown} unfinished or failed instances",
            States = counts.ToDictionary(count => count.Key, count => count.Value.Worst, StringComparer.Ordinal),
            Counts = counts,
        };
    }

    // A sub-process that waits for events at its boundary is active: something is inside.
    private static Dictionary<string, NodeState> Places(SubProcesses subProcesses, InstanceView instance)
    {
        var places = new Dictionary<string, NodeState>(StringComparer.Ordinal);
        foreach (var waits in instance.Waits.GroupBy(wait => wait.Step, StringComparer.Ordinal))
        {
            places[waits.Key] = subProcesses.Contains(waits.Key) ? NodeState.Active : StateOf(waits);
            foreach (var around in subProcesses.Around(waits.Key))
            {
                places[around] = NodeState.Active;
            }
        }

        if (instance.State == InstanceState.Failed && instance.Error?.Step is { } failed)
        {
            foreach (var step in subProcesses.Around(failed).Prepend(failed))
            {
                places[step] = NodeState.Failed;
            }
        }

        return places;
    }

    // Beside an activity that runs, events may be waited for.
    private static NodeState StateOf(IEnumerable<InstanceWait> ofStep)
    {
        if (ofStep.Any(wait => wait is { Kind: "activity", NextAttemptAt: null, Ended: null }))
        {
            return NodeState.Active;
        }

        return ofStep.Any(wait => wait is { Ended: true, LastError: not null }) ? NodeState.Failed : NodeState.Waiting;
    }
}

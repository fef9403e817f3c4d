using Workflow.Contracts.Instances;

namespace Workflow.Diagrams.Graphs;

/// <summary>How steps ended that were not done, by the last line that the history has of each.</summary>
internal sealed class StepOutcomes
{
    private readonly Dictionary<string, NodeState> _outcomes = new(StringComparer.Ordinal);
    private readonly IReadOnlyList<DiagramNode> _fails;

    private StepOutcomes(DiagramGraph graph) => _fails = [.. graph.Nodes.Where(node => node.Kind == NodeKind.Fail)];

    /// <param name="taken">Edges that were taken for certain.</param>
    public static StepOutcomes Of(
        DiagramGraph graph, InstanceView instance, IReadOnlyList<HistoryEntry> history, IReadOnlySet<string> taken)
    {
        var outcomes = new StepOutcomes(graph);
        var last = LastLines(graph, history);
        var isWhole = !history.Any(line => line.Event is "truncated" or "stepsTruncated");
        var subProcesses = new SubProcesses(graph);
        var open = instance.Waits.Select(wait => wait.Step)
            .SelectMany(step => subProcesses.Around(step).Prepend(step)).ToHashSet(StringComparer.Ordinal);
        var wentOn = graph.Edges.Where(edge => edge.Kind == EdgeKind.Next && taken.Contains(edge.Id))
            .Select(edge => edge.From)
            .ToHashSet(StringComparer.Ordinal);
        foreach (var (step, (what, rested)) in last)
        {
            var state = what switch
            {
                "activityFailed" or "callFailed" or "stepFailed" or "caught" or "failed" => NodeState.Failed,
                "timedOut" => NodeState.TimedOut,
                "interrupted" => NodeState.Cancelled,
                "waiting" or "assigned" or "attemptFailed" or "called" or "branched" when isWhole =>
                    NodeState.Cancelled,
                "entered" when isWhole && subProcesses.Contains(step) => NodeState.Cancelled,
                _ => NodeState.None,
            };

            // An activity that runs within the command leaves no line when it comes to it again, and succeeds.
            var succeeded = !rested && what == "activityFailed" && wentOn.Contains(step);
            if (state != NodeState.None && !open.Contains(step) && !succeeded)
            {
                outcomes._outcomes[step] = state;
            }
        }

        return outcomes;
    }

    /// <summary>Shows them in place of what was passed. A step that fails is never done.</summary>
    public void Apply(Dictionary<string, NodeState> states)
    {
        foreach (var fail in _fails)
        {
            states.Remove(fail.Id);
        }

        foreach (var (step, state) in _outcomes)
        {
            states[step] = state;
        }
    }

    private static Dictionary<string, (string Event, bool Rested)> LastLines(
        DiagramGraph graph, IReadOnlyList<HistoryEntry> history)
    {
        var steps = graph.Nodes.Select(node => node.Id).ToHashSet(StringComparer.Ordinal);
        var last = new Dictionary<string, (string Event, bool Rested)>(StringComparer.Ordinal);
        foreach (var line in history)
        {
            if (line is { Event: "retried", Step: null })
            {
                // What failed the instance is tried again.
                foreach (var failed in last.Where(one => one.Value.Event == "failed").Select(one => one.Key).ToList())
                {
                    last.Remove(failed);
                }
            }
            else if (line.Step is { } step && steps.Contains(step))
            {
                last[step] = (line.Event, line.Event == "waiting" || last.GetValueOrDefault(step).Rested);
            }
        }

        return last;
    }
}

namespace Workflow.Abstractions.Building;

/// <summary>The branches of a fork.</summary>
public sealed class BranchBuilder
{
    private readonly FlowBuilder _flow;
    private readonly StepDraft _step;
    private readonly List<StepExit> _branches = [];

    internal BranchBuilder(FlowBuilder flow, StepDraft step)
    {
        (_flow, _step) = (flow, step);
        step.Set("branches", () => JsonText.List(_branches.Select(branch => branch.Json)));
    }

    /// <summary>A branch, which runs until the join unless it ends before.</summary>
    public BranchBuilder Branch(Action<FlowBuilder> steps)
    {
        _flow.Nest(Next(), steps);
        return this;
    }

    /// <summary>A branch that begins at a step anywhere in the definition.</summary>
    public BranchBuilder Branch(string first)
    {
        Next().Target = first;
        return this;
    }

    private StepExit Next()
    {
        var exit = _step.ExitWithin($"branches[{JsonText.Number(_branches.Count)}]");
        _branches.Add(exit);
        return exit;
    }
}

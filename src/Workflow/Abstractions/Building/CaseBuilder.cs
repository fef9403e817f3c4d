namespace Workflow.Abstractions.Building;

/// <summary>The cases of a decision, which are tried in this order.</summary>
public sealed class CaseBuilder
{
    private readonly FlowBuilder _flow;
    private readonly StepDraft _step;
    private readonly List<(string When, StepExit Exit)> _cases = [];
    private bool _hasOtherwise;

    internal CaseBuilder(FlowBuilder flow, StepDraft step)
    {
        (_flow, _step) = (flow, step);
        step.Set("cases", () => JsonText.List(_cases.Select(one =>
            JsonText.Object([("when", JsonText.Quote(one.When)), .. one.Exit.Members]))));
    }

    /// <summary>A case that goes to a step anywhere in the definition.</summary>
    /// <param name="condition">An expression; its leading <c>=</c> is optional. Only true takes the case.</param>
    public CaseBuilder When(string condition, string next)
    {
        Case(condition).Target = next;
        return this;
    }

    /// <summary>A case with steps of its own, which then goes on after the decision.</summary>
    /// <param name="condition">An expression; its leading <c>=</c> is optional. Only true takes the case.</param>
    public CaseBuilder When(string condition, Action<FlowBuilder> then)
    {
        _flow.Nest(Case(condition), then);
        return this;
    }

    /// <summary>A case that goes to a step anywhere in the definition. Only true takes it.</summary>
    public CaseBuilder When(TypedExpression<bool> condition, string next) => When(Text(condition), next);

    /// <summary>A case with steps of its own, which then goes on after the decision. Only true takes it.</summary>
    public CaseBuilder When(TypedExpression<bool> condition, Action<FlowBuilder> then) => When(Text(condition), then);

    /// <summary>The step, anywhere in the definition, when no case is true.</summary>
    public CaseBuilder Otherwise(string next)
    {
        Other().Target = next;
        return this;
    }

    /// <summary>Steps when no case is true, which then go on after the decision.</summary>
    public CaseBuilder Otherwise(Action<FlowBuilder> then)
    {
        _flow.Nest(Other(), then);
        return this;
    }

    internal void Complete()
    {
        if (!_hasOtherwise)
        {
            _flow.Leave(Other());
        }
    }

    private static string Text(TypedExpression<bool> condition) => condition.Template;

    private StepExit Case(string condition)
    {
        var exit = _step.ExitWithin($"cases[{JsonText.Number(_cases.Count)}].next");
        _cases.Add((condition, exit));
        return exit;
    }

    private StepExit Other()
    {
        _hasOtherwise = true;
        return _step.Exit("otherwise");
    }
}

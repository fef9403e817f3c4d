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

/// <summary>Signals and times of which the first is taken, or which are taken while a step waits.</summary>
public sealed class EventBuilder
{
    private readonly FlowBuilder _flow;
    private readonly StepDraft _step;
    private readonly string _member;
    private readonly List<Func<string>> _events = [];

    internal EventBuilder(FlowBuilder flow, StepDraft step, string member)
    {
        (_flow, _step, _member) = (flow, step, member);
        step.Set(member, () => JsonText.List(_events.Select(one => one())));
    }

    /// <summary>A signal, which goes to a step anywhere in the definition.</summary>
    /// <param name="correlation">The key: a text, or an expression that gives one; without it the signal only comes by instance id.</param>
    /// <param name="result">The variable that takes the payload.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder Signal(
        string signal, string next, string? correlation = null, string? result = null, bool? interrupting = null) =>
        Leads(Add(interrupting, ("signal", signal), ("correlation", correlation), ("result", result)), next);

    /// <summary>A signal, and what is done then, before it goes on after this step.</summary>
    /// <param name="correlation">The key: a text, or an expression that gives one; without it the signal only comes by instance id.</param>
    /// <param name="result">The variable that takes the payload.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder Signal(
        string signal, Action<FlowBuilder> then, string? correlation = null, string? result = null, bool? interrupting = null) =>
        Does(Add(interrupting, ("signal", signal), ("correlation", correlation), ("result", result)), then);

    /// <summary>A time from when the step begins, after which it goes to a step anywhere in the definition.</summary>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder After(Duration duration, string next, bool? interrupting = null) =>
        Leads(Add(interrupting, ("duration", duration.Text)), next);

    /// <summary>A time from when the step begins, and what is done then, before it goes on after this step.</summary>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder After(Duration duration, Action<FlowBuilder> then, bool? interrupting = null) =>
        Does(Add(interrupting, ("duration", duration.Text)), then);

    /// <summary>A time, at which it goes to a step anywhere in the definition.</summary>
    /// <param name="until">An ISO 8601 instant with offset, or an expression that gives one.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder At(string until, string next, bool? interrupting = null) => Leads(Add(interrupting, ("until", until)), next);

    /// <summary>A time, and what is done then, before it goes on after this step.</summary>
    /// <param name="until">An ISO 8601 instant with offset, or an expression that gives one.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder At(string until, Action<FlowBuilder> then, bool? interrupting = null) =>
        Does(Add(interrupting, ("until", until)), then);

    private StepExit Add(bool? interrupting, params (string Name, string? Text)[] members)
    {
        var exit = _step.ExitWithin($"{_member}[{JsonText.Number(_events.Count)}].next");
        List<(string, string)> given =
            [.. members.Where(member => member.Text is not null).Select(member => (member.Name, JsonText.Quote(member.Text!)))];
        if (interrupting is { } flag)
        {
            given.Add(("interrupting", flag ? "true" : "false"));
        }

        _events.Add(() => JsonText.Object([.. given, .. exit.Members]));
        return exit;
    }

    private EventBuilder Leads(StepExit exit, string next)
    {
        exit.Target = next;
        return this;
    }

    private EventBuilder Does(StepExit exit, Action<FlowBuilder> then)
    {
        _flow.Nest(exit, then);
        return this;
    }
}

/// <summary>What every step has that takes its time.</summary>
/// <typeparam name="TSelf">The builder itself, so that calls can be chained.</typeparam>
public abstract class BoundedBuilder<TSelf>
    where TSelf : BoundedBuilder<TSelf>
{
    private readonly FlowBuilder _flow;
    private readonly StepDraft _step;

    private protected BoundedBuilder(FlowBuilder flow, StepDraft step) => (_flow, _step) = (flow, step);

    /// <summary>How long it takes at most, and the step, anywhere in the definition, that is taken then.</summary>
    public TSelf Timeout(Duration duration, string next) => With("timeout", JsonText.Quote(duration.Text)).LeadsTo("onTimeout", next);

    /// <summary>How long it takes at most, and what is done then, before it goes on after this step.</summary>
    public TSelf Timeout(Duration duration, Action<FlowBuilder> onTimeout) =>
        With("timeout", JsonText.Quote(duration.Text)).Handles("onTimeout", onTimeout);

    /// <summary>Signals and times that are taken meanwhile.</summary>
    public TSelf Boundary(Action<EventBuilder> events)
    {
        events(new EventBuilder(_flow, _step, "boundary"));
        return (TSelf)this;
    }

    private protected TSelf With(string name, string json)
    {
        _step.Set(name, json);
        return (TSelf)this;
    }

    private protected TSelf LeadsTo(string name, string next)
    {
        _step.Exit(name).Target = next;
        return (TSelf)this;
    }

    private protected TSelf Handles(string name, Action<FlowBuilder> handler)
    {
        _flow.Nest(_step.Exit(name), handler);
        return (TSelf)this;
    }
}

/// <summary>Options of a sub-process: of all that is inside.</summary>
public sealed class SubProcessBuilder : BoundedBuilder<SubProcessBuilder>
{
    internal SubProcessBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The step, anywhere in the definition, that is taken when a step inside failed that takes no errors itself.</summary>
    public SubProcessBuilder OnError(string next) => LeadsTo("onError", next);

    /// <summary>What is done when a step inside failed that takes no errors itself, before it goes on after this step.</summary>
    public SubProcessBuilder OnError(Action<FlowBuilder> onError) => Handles("onError", onError);

    /// <summary>The variable that takes <c>{ "code": text or null, "message": text }</c> before that step.</summary>
    public SubProcessBuilder ErrorResult(string variable) => With("errorResult", JsonText.Quote(variable));
}

/// <summary>What every step has that waits for somebody else.</summary>
/// <typeparam name="TSelf">The builder itself, so that calls can be chained.</typeparam>
public abstract class AwaitingBuilder<TSelf> : BoundedBuilder<TSelf>
    where TSelf : AwaitingBuilder<TSelf>
{
    private protected AwaitingBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The variable that takes what was waited for.</summary>
    public TSelf Result(string variable) => With("result", JsonText.Quote(variable));
}

/// <summary>Options of a step that waits for a signal.</summary>
public sealed class WaitSignalBuilder : AwaitingBuilder<WaitSignalBuilder>
{
    internal WaitSignalBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The correlation key: a text, or an expression that gives one. Without it the signal only comes by instance id.</summary>
    public WaitSignalBuilder Correlation(string key) => With("correlation", JsonText.Quote(key));

    /// <summary>The correlation key.</summary>
    public WaitSignalBuilder Correlation(TypedExpression<string> key) => With("correlation", ((TemplateValue)key).Json);
}

/// <summary>Options of a human task.</summary>
public sealed class TaskBuilder : AwaitingBuilder<TaskBuilder>
{
    internal TaskBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>Who it is assigned to: a text, or an expression that gives one.</summary>
    public TaskBuilder Assignee(string person) => With("assignee", JsonText.Quote(person));

    /// <summary>Who it is assigned to.</summary>
    public TaskBuilder Assignee(TypedExpression<string> person) => With("assignee", ((TemplateValue)person).Json);

    /// <summary>Groups that may take it: each a text, or an expression that gives one.</summary>
    public TaskBuilder Groups(params string[] groups) => With("groups", JsonText.List(groups.Select(JsonText.Quote)));
}

/// <summary>Options of a step that something else executes, and that may fail.</summary>
/// <typeparam name="TSelf">The builder itself, so that calls can be chained.</typeparam>
public abstract class ExecutingBuilder<TSelf> : AwaitingBuilder<TSelf>
    where TSelf : ExecutingBuilder<TSelf>
{
    private protected ExecutingBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    public TSelf Input(TemplateValue input) => With("input", input.Json);

    /// <summary>An input of these members; without any, the empty context.</summary>
    public TSelf Input(params (string Name, TemplateValue Value)[] members) => Input(TemplateValue.Context(members));

    /// <summary>The step, anywhere in the definition, that is taken when it failed.</summary>
    public TSelf OnError(string next) => LeadsTo("onError", next);

    /// <summary>The variable that takes <c>{ "code": text or null, "message": text }</c> when it failed, before that step.</summary>
    public TSelf ErrorResult(string variable) => With("errorResult", JsonText.Quote(variable));

    /// <summary>What is done when it failed, before it goes on after this step.</summary>
    public TSelf OnError(Action<FlowBuilder> onError) => Handles("onError", onError);
}

/// <summary>Options of a call of an activity.</summary>
public sealed class InvokeBuilder : ExecutingBuilder<InvokeBuilder>
{
    internal InvokeBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>How failed attempts are repeated.</summary>
    /// <param name="maxAttempts">Attempts in all, 1 or more.</param>
    /// <param name="initialInterval">Pause before the second attempt, a constant; 1 s by default.</param>
    /// <param name="backoff">Factor by which the pause grows, 1 to 100; 2 by default.</param>
    public InvokeBuilder Retry(int maxAttempts, Duration? initialInterval = null, decimal? backoff = null)
    {
        List<(string, string)> members = [("maxAttempts", JsonText.Number(maxAttempts))];
        if (initialInterval is { } interval)
        {
            members.Add(("initialInterval", JsonText.Quote(interval.Text)));
        }

        if (backoff is { } factor)
        {
            members.Add(("backoff", ((TemplateValue)factor).Json));
        }

        return With("retry", JsonText.Object(members));
    }
}

/// <summary>Options of a call of a sub-workflow.</summary>
public sealed class CallBuilder : ExecutingBuilder<CallBuilder>
{
    internal CallBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The version of the definition called; by default the newest when the step begins.</summary>
    public CallBuilder Version(int version) => With("version", JsonText.Number(version));
}

/// <summary>Options of calls of a sub-workflow for each of several elements.</summary>
public sealed class CallEachBuilder : ExecutingBuilder<CallEachBuilder>
{
    internal CallEachBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The version of the definition called; by default the newest when an element is called.</summary>
    public CallEachBuilder Version(int version) => With("version", JsonText.Number(version));

    /// <summary>The elements: a list of at most 1,000, or an expression that gives one.</summary>
    /// <param name="item">The name under which the input sees the element; <c>item</c> by default.</param>
    public CallEachBuilder Items(TemplateValue items, string? item = null)
    {
        With("items", items.Json);
        return item is null ? this : With("item", JsonText.Quote(item));
    }

    /// <summary>How many elements, 0 to 1,000: a number, or an expression that gives one.</summary>
    public CallEachBuilder Count(TemplateValue count) => With("count", count.Json);

    /// <summary>The name under which the input sees the element's number, from 1; <c>index</c> by default.</summary>
    public CallEachBuilder Index(string variable) => With("index", JsonText.Quote(variable));

    /// <summary>How many run at a time, 1 or more; by default all.</summary>
    public CallEachBuilder MaxConcurrency(int elements) => With("maxConcurrency", JsonText.Number(elements));

    /// <summary>Evaluated after each element that has ended; once it is true the rest is cancelled.</summary>
    /// <param name="condition">An expression; its leading <c>=</c> is optional.</param>
    public CallEachBuilder CompletionCondition(string condition) => With("completionCondition", JsonText.Quote(condition));
}

/// <summary>Options of an end.</summary>
public sealed class EndBuilder
{
    private readonly StepDraft _step;

    internal EndBuilder(StepDraft step) => _step = step;

    public EndBuilder Output(TemplateValue output)
    {
        _step.Set("output", output.Json);
        return this;
    }

    /// <summary>An output of these members; without any, the empty context.</summary>
    public EndBuilder Output(params (string Name, TemplateValue Value)[] members) => Output(TemplateValue.Context(members));

    /// <summary>Ends every other branch as well.</summary>
    public EndBuilder Terminate(bool terminate = true)
    {
        _step.Set("terminate", terminate ? "true" : "false");
        return this;
    }
}

namespace Workflow.Abstractions.Building;

/// <summary>
/// A sequence of steps: each leads to the one that is added next. The open ends of what a step holds (a branch, a case,
/// a handler) lead there as well, so that paths meet again without being named. <see cref="GoTo"/> leads anywhere else.
/// </summary>
public sealed class FlowBuilder
{
    private readonly DefinitionDraft _definition;

    // What leads to the step that is added next.
    private readonly List<StepExit> _open;
    private StepDraft? _last;
    private bool _isBusy;

    internal FlowBuilder(DefinitionDraft definition, StepExit entry)
    {
        _definition = definition;
        _open = [entry];
    }

    /// <summary>Assigns variables; all values are evaluated before any is assigned.</summary>
    public FlowBuilder Set(string id, params (string Variable, TemplateValue Value)[] values)
    {
        var step = Begin(id, "set");
        step.Set("values", TemplateValue.Context(values).Json);
        return Continue(step);
    }

    /// <summary>
    /// Takes the first case that is true, or what is given as otherwise: by default the step that is added next.
    /// </summary>
    public FlowBuilder Decide(string id, Action<CaseBuilder> cases)
    {
        var builder = new CaseBuilder(this, Begin(id, "decide"));
        Fill(builder, cases);
        builder.Complete();
        return this;
    }

    /// <summary>Runs branches at the same time until they meet at the join, which is added next.</summary>
    public FlowBuilder Fork(string id, Action<BranchBuilder> branches)
    {
        var step = Begin(id, "fork");
        Fill(new BranchBuilder(this, step), branches);
        _open.Add(step.Exit("join"));
        return this;
    }

    /// <summary>
    /// Runs a branch for every case that is true, or what is given as otherwise, until they meet at the join, which is
    /// added next.
    /// </summary>
    public FlowBuilder Inclusive(string id, Action<CaseBuilder> cases)
    {
        var step = Begin(id, "inclusive");
        var builder = new CaseBuilder(this, step);
        Fill(builder, cases);
        builder.Complete();
        _open.Add(step.Exit("join"));
        return this;
    }

    /// <summary>Waits for every branch of the fork, or inclusive step, that was added before.</summary>
    public FlowBuilder Join(string id) => Continue(Begin(id, "join"));

    /// <summary>Waits for a signal by name and correlation key, or by name sent to the instance.</summary>
    public FlowBuilder WaitSignal(string id, string signal, Action<WaitSignalBuilder>? options = null)
    {
        var step = Begin(id, "waitSignal");
        step.Set("signal", JsonText.Quote(signal));
        return Awaits(step, new WaitSignalBuilder(this, step), options);
    }

    /// <summary>Waits for the first of several signals and times.</summary>
    public FlowBuilder WaitFirst(string id, Action<EventBuilder> events)
    {
        Fill(new EventBuilder(this, Begin(id, "waitFirst"), "events"), events);
        return this;
    }

    /// <summary>Waits for a time.</summary>
    /// <param name="duration">How long; a constant, or an expression that gives an ISO 8601 duration.</param>
    public FlowBuilder Delay(string id, Duration duration)
    {
        var step = Begin(id, "delay");
        step.Set("duration", JsonText.Quote(duration.Text));
        return Continue(step);
    }

    /// <summary>Waits until a time.</summary>
    /// <param name="until">An ISO 8601 instant with offset, or an expression that gives one.</param>
    public FlowBuilder DelayUntil(string id, string until)
    {
        var step = Begin(id, "delay");
        step.Set("until", JsonText.Quote(until));
        return Continue(step);
    }

    /// <summary>Creates a task for a person and waits until it is completed.</summary>
    public FlowBuilder Task(string id, Action<TaskBuilder>? options = null)
    {
        var step = Begin(id, "task");
        return Awaits(step, new TaskBuilder(this, step), options);
    }

    /// <summary>Calls a registered activity.</summary>
    public FlowBuilder Invoke(string id, string activity, Action<InvokeBuilder>? options = null)
    {
        var step = Begin(id, "invoke");
        step.Set("activity", JsonText.Quote(activity));
        return Awaits(step, new InvokeBuilder(this, step), options);
    }

    /// <summary>Runs a sub-workflow and waits for its end.</summary>
    public FlowBuilder Call(string id, string definition, Action<CallBuilder>? options = null)
    {
        var step = Begin(id, "call");
        step.Set("definition", JsonText.Quote(definition));
        return Awaits(step, new CallBuilder(this, step), options);
    }

    /// <summary>Runs a sub-workflow for each of several elements and waits for them.</summary>
    /// <param name="options">Gives the items or the count at least.</param>
    public FlowBuilder CallEach(string id, string definition, Action<CallEachBuilder> options)
    {
        var step = Begin(id, "callEach");
        step.Set("definition", JsonText.Quote(definition));
        return Awaits(step, new CallEachBuilder(this, step), options);
    }

    /// <summary>
    /// Runs steps of their own, until the last of them has ended; then it goes on with the step that is added next.
    /// </summary>
    /// <param name="steps">
    /// What is inside: the first step added begins it, and <see cref="End(string)"/> ends a path of it.
    /// </param>
    /// <param name="options">A time limit, events and errors of all that is inside.</param>
    public FlowBuilder SubProcess(string id, Action<FlowBuilder> steps, Action<SubProcessBuilder>? options = null)
    {
        var step = Begin(id, "subProcess");
        Fill(new FlowBuilder(_definition, step.Exit("start")), inside =>
        {
            steps(inside);
            inside._isBusy = true;
        });
        return Awaits(step, new SubProcessBuilder(this, step), options);
    }

    /// <summary>Runs steps of their own, which stand anywhere in the definition.</summary>
    /// <param name="start">The first step inside.</param>
    public FlowBuilder SubProcess(string id, string start, Action<SubProcessBuilder>? options = null)
    {
        var step = Begin(id, "subProcess");
        step.Exit("start").Target = start;
        return Awaits(step, new SubProcessBuilder(this, step), options);
    }

    /// <summary>Raises an integration event without payload.</summary>
    public FlowBuilder Raise(string id, string eventType) => Raises(id, eventType, null);

    /// <summary>Raises an integration event.</summary>
    public FlowBuilder Raise(string id, string eventType, TemplateValue payload) => Raises(id, eventType, payload);

    /// <summary>Raises an integration event whose payload has these members.</summary>
    public FlowBuilder Raise(string id, string eventType, params (string Name, TemplateValue Value)[] payload) =>
        Raises(id, eventType, TemplateValue.Context(payload));

    /// <summary>Ends the branch, or the instance when it is the last.</summary>
    public FlowBuilder End(string id)
    {
        Begin(id, "end");
        return this;
    }

    /// <summary>Ends the branch with an output, or the instance when it is the last.</summary>
    public FlowBuilder End(string id, TemplateValue output) => End(id, step => step.Output(output));

    /// <summary>Ends the branch with an output of these members, or the instance when it is the last.</summary>
    public FlowBuilder End(string id, params (string Name, TemplateValue Value)[] output) =>
        End(id, step => step.Output(output));

    /// <summary>Ends the branch, or the instance.</summary>
    public FlowBuilder End(string id, Action<EndBuilder> options)
    {
        Fill(new EndBuilder(Begin(id, "end")), options);
        return this;
    }

    /// <summary>Fails the instance.</summary>
    /// <param name="error">What went wrong: a text, or an expression that gives one.</param>
    /// <param name="code">
    /// What kind of error it is, for who catches it: a text, or an expression that gives one.
    /// </param>
    public FlowBuilder Fail(string id, string error, string? code = null)
    {
        var step = Begin(id, "fail");
        step.Set("error", JsonText.Quote(error));
        if (code is not null)
        {
            step.Set("code", JsonText.Quote(code));
        }

        return this;
    }

    /// <summary>Leads what would go on here to a step anywhere in the definition.</summary>
    public FlowBuilder GoTo(string id)
    {
        Use();
        if (_open.Count == 0)
        {
            _definition.Misuse(_last?.Path ?? "steps", $"GoTo('{DefinitionPath.Shorten(id)}') has no effect: what "
                + "comes before it has ended, or leads elsewhere already; remove it.");
        }

        Close(id);
        return this;
    }

    /// <summary>What a person calls the step added last, 1 to 256 characters.</summary>
    public FlowBuilder Title(string title) => Describe("title", JsonText.Quote(title));

    /// <summary>What a person should know of the step added last, 1 to 16,384 characters.</summary>
    public FlowBuilder Documentation(string text) => Describe("documentation", JsonText.Quote(text));

    /// <summary>
    /// What the step added last was made from, e.g. an element of a BPMN model. At least one is given.
    /// </summary>
    public FlowBuilder Source(string? element = null, int? line = null, string? document = null) =>
        Describe("source", JsonText.Source(element, line, document));

    /// <summary>
    /// Steps that begin at an exit of a step of this flow; where they end, they go on with the step added next here.
    /// </summary>
    internal void Nest(StepExit entry, Action<FlowBuilder> steps)
    {
        if (!_isBusy)
        {
            throw Misplaced();
        }

        var nested = new FlowBuilder(_definition, entry);
        steps(nested);
        nested._isBusy = true;
        _open.AddRange(nested._open);
    }

    internal void Leave(StepExit open) => _open.Add(open);

    private FlowBuilder Raises(string id, string eventType, TemplateValue? payload)
    {
        var step = Begin(id, "raise");
        step.Set("event", JsonText.Quote(eventType));
        if (payload is { } given)
        {
            step.Set("payload", given.Json);
        }

        return Continue(step);
    }

    private FlowBuilder Awaits<T>(StepDraft step, T builder, Action<T>? options)
    {
        if (options is not null)
        {
            Fill(builder, options);
        }

        return Continue(step);
    }

    private void Fill<T>(T builder, Action<T> options)
    {
        _isBusy = true;
        options(builder);
        _isBusy = false;
    }

    private StepDraft Begin(string id, string type)
    {
        Use();
        Close(id);
        return _last = _definition.Add(id, type);
    }

    private FlowBuilder Continue(StepDraft step)
    {
        _open.Add(step.Exit("next"));
        return this;
    }

    private void Close(string id)
    {
        foreach (var exit in _open)
        {
            exit.Target = id;
        }

        _open.Clear();
    }

    private FlowBuilder Describe(string name, string json)
    {
        Use();
        if (_last is null)
        {
            _definition.Misuse(
                "steps", $"'{name}' is given before any step; call it after the step that it describes.");
        }

        _last?.Set(name, json);
        return this;
    }

    // Steps added to an outer flow from inside a lambda would silently lead elsewhere than they are written.
    private void Use()
    {
        if (_isBusy)
        {
            throw Misplaced();
        }
    }

    private static InvalidOperationException Misplaced() =>
        new("A builder is used inside the lambda of another one, or after its own; use the builder that the lambda is "
            + "given, in it.");
}

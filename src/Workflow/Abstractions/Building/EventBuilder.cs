namespace Workflow.Abstractions.Building;

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
    /// <param name="correlation">
    /// The key: a text, or an expression that gives one; without it the signal only comes by instance id.
    /// </param>
    /// <param name="result">The variable that takes the payload.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder Signal(
        string signal, string next, string? correlation = null, string? result = null, bool? interrupting = null) =>
        Leads(Add(interrupting, ("signal", signal), ("correlation", correlation), ("result", result)), next);

    /// <summary>A signal, and what is done then, before it goes on after this step.</summary>
    /// <param name="correlation">
    /// The key: a text, or an expression that gives one; without it the signal only comes by instance id.
    /// </param>
    /// <param name="result">The variable that takes the payload.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder Signal(
        string signal, Action<FlowBuilder> then, string? correlation = null, string? result = null,
        bool? interrupting = null) =>
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
    public EventBuilder At(string until, string next, bool? interrupting = null) =>
        Leads(Add(interrupting, ("until", until)), next);

    /// <summary>A time, and what is done then, before it goes on after this step.</summary>
    /// <param name="until">An ISO 8601 instant with offset, or an expression that gives one.</param>
    /// <param name="interrupting">At a boundary only: whether the step is over with it; true by default.</param>
    public EventBuilder At(string until, Action<FlowBuilder> then, bool? interrupting = null) =>
        Does(Add(interrupting, ("until", until)), then);

    private StepExit Add(bool? interrupting, params (string Name, string? Text)[] members)
    {
        var exit = _step.ExitWithin($"{_member}[{JsonText.Number(_events.Count)}].next");
        List<(string, string)> given =
            [.. members.Where(member => member.Text is not null)
                .Select(member => (member.Name, JsonText.Quote(member.Text!)))];
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

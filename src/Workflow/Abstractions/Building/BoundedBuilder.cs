namespace Workflow.Abstractions.Building;

/// <summary>What every step has that takes its time.</summary>
/// <typeparam name="TSelf">The builder itself, so that calls can be chained.</typeparam>
public abstract class BoundedBuilder<TSelf>
    where TSelf : BoundedBuilder<TSelf>
{
    private readonly FlowBuilder _flow;
    private readonly StepDraft _step;

    private protected BoundedBuilder(FlowBuilder flow, StepDraft step) => (_flow, _step) = (flow, step);

    /// <summary>How long it takes at most, and the step, anywhere in the definition, that is taken then.</summary>
    public TSelf Timeout(Duration duration, string next) =>
        With("timeout", JsonText.Quote(duration.Text)).LeadsTo("onTimeout", next);

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

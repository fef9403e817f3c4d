namespace Workflow.Abstractions.Building;

/// <summary>The options of every step that lasts: a time-out and boundary events.</summary>
/// <typeparam name="TSelf">The type of the builder, so that calls can be chained.</typeparam>
public abstract class BoundedBuilder<TSelf>
    where TSelf : BoundedBuilder<TSelf>
{
    private readonly FlowBuilder _flow;
    private readonly StepDraft _step;

    private protected BoundedBuilder(FlowBuilder flow, StepDraft step) => (_flow, _step) = (flow, step);

    /// <summary>The maximum duration, and the step that follows a time-out, anywhere in the definition.</summary>
    public TSelf Timeout(Duration duration, string next) =>
        With("timeout", JsonText.Quote(duration.Text)).LeadsTo("onTimeout", next);

    /// <summary>
    /// The maximum duration, and the steps that follow a time-out; the flow then continues after this step.
    /// </summary>
    public TSelf Timeout(Duration duration, Action<FlowBuilder> onTimeout) =>
        With("timeout", JsonText.Quote(duration.Text)).Handles("onTimeout", onTimeout);

    /// <summary>The signals and times that the step handles while it lasts.</summary>
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

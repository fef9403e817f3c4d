namespace Workflow.Abstractions.Building;

/// <summary>The options of every step that waits for a result from outside.</summary>
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

    /// <summary>
    /// The correlation key: a text, or an expression that gives one. Without it the signal only comes by instance id.
    /// </summary>
    public WaitSignalBuilder Correlation(string key) => With("correlation", JsonText.Quote(key));

    public WaitSignalBuilder Correlation(TypedExpression<string> key) => With("correlation", ((TemplateValue)key).Json);
}

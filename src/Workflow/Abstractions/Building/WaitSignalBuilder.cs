namespace Workflow.Abstractions.Building;

/// <summary>Options of a step that waits for a signal.</summary>
public sealed class WaitSignalBuilder : AwaitingBuilder<WaitSignalBuilder>
{
    internal WaitSignalBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>
    /// The correlation key: a text, or an expression that gives one. Without a key, the step receives only signals that
    /// are sent to the instance id.
    /// </summary>
    public WaitSignalBuilder Correlation(string key) => With("correlation", JsonText.Quote(key));

    public WaitSignalBuilder Correlation(TypedExpression<string> key) => With("correlation", ((TemplateValue)key).Json);
}

namespace Workflow.Abstractions.Building;

/// <summary>The options of every step that waits for a result from outside.</summary>
/// <typeparam name="TSelf">The type of the builder, so that calls can be chained.</typeparam>
public abstract class AwaitingBuilder<TSelf> : BoundedBuilder<TSelf>
    where TSelf : AwaitingBuilder<TSelf>
{
    private protected AwaitingBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The variable that receives the result.</summary>
    public TSelf Result(string variable) => With("result", JsonText.Quote(variable));
}

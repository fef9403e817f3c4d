namespace Workflow.Abstractions.Building;

/// <summary>The options of a step that calls an activity or a sub-workflow and may fail.</summary>
/// <typeparam name="TSelf">The type of the builder, so that calls can be chained.</typeparam>
public abstract class ExecutingBuilder<TSelf> : AwaitingBuilder<TSelf>
    where TSelf : ExecutingBuilder<TSelf>
{
    private protected ExecutingBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    public TSelf Input(TemplateValue input) => With("input", input.Json);

    /// <summary>An input with these members; without members, the empty context.</summary>
    public TSelf Input(params (string Name, TemplateValue Value)[] members) => Input(TemplateValue.Context(members));

    /// <summary>The step that follows a failure, anywhere in the definition.</summary>
    public TSelf OnError(string next) => LeadsTo("onError", next);

    /// <summary>
    /// The variable that receives <c>{ "code": text or null, "message": text }</c> after a failure.
    /// </summary>
    public TSelf ErrorResult(string variable) => With("errorResult", JsonText.Quote(variable));

    /// <summary>The steps that follow a failure; the flow then continues after this step.</summary>
    public TSelf OnError(Action<FlowBuilder> onError) => Handles("onError", onError);
}

namespace Workflow.Abstractions.Building;

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

    /// <summary>
    /// The variable that takes <c>{ "code": text or null, "message": text }</c> when it failed, before that step.
    /// </summary>
    public TSelf ErrorResult(string variable) => With("errorResult", JsonText.Quote(variable));

    /// <summary>What is done when it failed, before it goes on after this step.</summary>
    public TSelf OnError(Action<FlowBuilder> onError) => Handles("onError", onError);
}

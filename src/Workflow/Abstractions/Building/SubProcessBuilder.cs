namespace Workflow.Abstractions.Building;

/// <summary>Options of a sub-process: of all that is inside.</summary>
public sealed class SubProcessBuilder : BoundedBuilder<SubProcessBuilder>
{
    internal SubProcessBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>
    /// The step, anywhere in the definition, that is taken when a step inside failed that takes no errors itself.
    /// </summary>
    public SubProcessBuilder OnError(string next) => LeadsTo("onError", next);

    /// <summary>
    /// What is done when a step inside failed that takes no errors itself, before it goes on after this step.
    /// </summary>
    public SubProcessBuilder OnError(Action<FlowBuilder> onError) => Handles("onError", onError);

    /// <summary>The variable that takes <c>{ "code": text or null, "message": text }</c> before that step.</summary>
    public SubProcessBuilder ErrorResult(string variable) => With("errorResult", JsonText.Quote(variable));
}

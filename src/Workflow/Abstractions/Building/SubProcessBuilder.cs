namespace Workflow.Abstractions.Building;

/// <summary>The options of a sub-process, which apply to all its steps.</summary>
public sealed class SubProcessBuilder : BoundedBuilder<SubProcessBuilder>
{
    internal SubProcessBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>
    /// The step that follows the failure of an inner step without its own error path, anywhere in the definition.
    /// </summary>
    public SubProcessBuilder OnError(string next) => LeadsTo("onError", next);

    /// <summary>
    /// The steps that follow the failure of an inner step without its own error path; the flow then continues after
    /// this step.
    /// </summary>
    public SubProcessBuilder OnError(Action<FlowBuilder> onError) => Handles("onError", onError);

    /// <summary>
    /// The variable that receives <c>{ "code": text or null, "message": text }</c> after a failure.
    /// </summary>
    public SubProcessBuilder ErrorResult(string variable) => With("errorResult", JsonText.Quote(variable));
}

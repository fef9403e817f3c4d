namespace Workflow.Abstractions.Building;

/// <summary>Options of a call of a sub-workflow.</summary>
public sealed class CallBuilder : ExecutingBuilder<CallBuilder>
{
    internal CallBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The version of the definition called; by default the newest when the step begins.</summary>
    public CallBuilder Version(int version) => With("version", JsonText.Number(version));
}

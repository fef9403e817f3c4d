namespace Workflow.Abstractions.Building;

/// <summary>Options of an end.</summary>
public sealed class EndBuilder
{
    private readonly StepDraft _step;

    internal EndBuilder(StepDraft step) => _step = step;

    public EndBuilder Output(TemplateValue output)
    {
        _step.Set("output", output.Json);
        return this;
    }

    /// <summary>An output of these members; without any, the empty context.</summary>
    public EndBuilder Output(params (string Name, TemplateValue Value)[] members) =>
        Output(TemplateValue.Context(members));

    /// <summary>Ends every other branch as well.</summary>
    public EndBuilder Terminate(bool terminate = true)
    {
        _step.Set("terminate", terminate ? "true" : "false");
        return this;
    }
}

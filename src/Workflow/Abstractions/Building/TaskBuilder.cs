namespace Workflow.Abstractions.Building;

/// <summary>Options of a human task.</summary>
public sealed class TaskBuilder : AwaitingBuilder<TaskBuilder>
{
    internal TaskBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>Who it is assigned to: a text, or an expression that gives one.</summary>
    public TaskBuilder Assignee(string person) => With("assignee", JsonText.Quote(person));

    /// <summary>Who it is assigned to.</summary>
    public TaskBuilder Assignee(TypedExpression<string> person) => With("assignee", ((TemplateValue)person).Json);

    /// <summary>Groups that may take it: each a text, or an expression that gives one.</summary>
    public TaskBuilder Groups(params string[] groups) => With("groups", JsonText.List(groups.Select(JsonText.Quote)));
}

namespace Workflow.Abstractions.Building;

/// <summary>Options of calls of a sub-workflow for each of several elements.</summary>
public sealed class CallEachBuilder : ExecutingBuilder<CallEachBuilder>
{
    internal CallEachBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>The version of the definition called; by default the newest when an element is called.</summary>
    public CallEachBuilder Version(int version) => With("version", JsonText.Number(version));

    /// <summary>The elements: a list of at most 1,000, or an expression that gives one.</summary>
    /// <param name="item">The name under which the input sees the element; <c>item</c> by default.</param>
    public CallEachBuilder Items(TemplateValue items, string? item = null)
    {
        With("items", items.Json);
        return item is null ? this : With("item", JsonText.Quote(item));
    }

    /// <summary>How many elements, 0 to 1,000: a number, or an expression that gives one.</summary>
    public CallEachBuilder Count(TemplateValue count) => With("count", count.Json);

    /// <summary>The name under which the input sees the element's number, from 1; <c>index</c> by default.</summary>
    public CallEachBuilder Index(string variable) => With("index", JsonText.Quote(variable));

    /// <summary>How many run at a time, 1 or more; by default all.</summary>
    public CallEachBuilder MaxConcurrency(int elements) => With("maxConcurrency", JsonText.Number(elements));

    /// <summary>Evaluated after each element that has ended; once it is true the rest is cancelled.</summary>
    /// <param name="condition">An expression; its leading <c>=</c> is optional.</param>
    public CallEachBuilder CompletionCondition(string condition) =>
        With("completionCondition", JsonText.Quote(condition));
}

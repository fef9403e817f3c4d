namespace Workflow.Abstractions.Building;

/// <summary>Options of a call of an activity.</summary>
public sealed class InvokeBuilder : ExecutingBuilder<InvokeBuilder>
{
    internal InvokeBuilder(FlowBuilder flow, StepDraft step)
        : base(flow, step)
    {
    }

    /// <summary>Repeats failed attempts.</summary>
    /// <param name="maxAttempts">The total number of attempts, 1 or more.</param>
    /// <param name="initialInterval">The pause before the second attempt, a constant; 1 s by default.</param>
    /// <param name="backoff">The factor by which each pause is longer, 1 to 100; 2 by default.</param>
    public InvokeBuilder Retry(int maxAttempts, Duration? initialInterval = null, decimal? backoff = null)
    {
        List<(string, string)> members = [("maxAttempts", JsonText.Number(maxAttempts))];
        if (initialInterval is { } interval)
        {
            members.Add(("initialInterval", JsonText.Quote(interval.Text)));
        }

        if (backoff is { } factor)
        {
            members.Add(("backoff", ((TemplateValue)factor).Json));
        }

        return With("retry", JsonText.Object(members));
    }
}

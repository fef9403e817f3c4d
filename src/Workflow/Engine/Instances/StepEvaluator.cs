using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>
/// Evaluates the members of the current step within the command's budget. A step that cannot continue is marked as
/// failed here; the interpreter handles the failure when the step has returned.
/// </summary>
internal sealed class StepEvaluator(LaneState lane)
{
    private readonly CommandBudget _budget = new(lane.Options);
    private StepFailure? _failure;

    /// <summary>Whether the current step has failed and must do nothing more.</summary>
    public bool HasFailed => _failure is not null;

    /// <summary>The work of the current command so far, including everything it writes outside the variables.</summary>
    public long Spent => _budget.Work.Spent;

    /// <summary>Starts the budget of a command, which covers all its instances.</summary>
    public void Begin()
    {
        _budget.Begin();
        _failure = null;
    }

    /// <returns>False if the step has failed.</returns>
    public bool TryEnter(LiveInstance instance, string step)
    {
        if (_budget.CheckStep(instance, step) is not { } overspent)
        {
            return true;
        }

        FailInstance(overspent);
        return false;
    }

    /// <summary>Evaluates a template of a step; the value is null if there is no template.</summary>
    /// <returns>False if the step has failed: the command's budget is exceeded.</returns>
    public bool TryEvaluate(LiveInstance instance, string step, Template? template, out Value value) =>
        TryEvaluate(step, template, instance.Variables, out value);

    public bool TryEvaluate(
        string step, Template? template, IReadOnlyDictionary<string, Value> variables, out Value value)
    {
        value = template?.Evaluate(variables, _budget.Work) ?? Value.Null;
        return TrySpend(step, 0);
    }

    /// <returns>False if the step has failed: the condition is neither true nor false, or the budget is
    /// exceeded.</returns>
    public bool TryEvaluateCondition(
        StepDefinition step, Expression condition, IReadOnlyDictionary<string, Value> variables, out bool isTrue)
    {
        var value = condition.Evaluate(variables, _budget.Work);
        isTrue = value.IsTrue;
        if (!TrySpend(step.Id, 0))
        {
            return false;
        }

        if (value.Kind != ValueKind.Boolean)
        {
            Fail(StepValues.NotBoolean(step, condition, value, variables));
            return false;
        }

        return true;
    }

    /// <summary>Evaluates a correlation; the key is null if there is no correlation.</summary>
    /// <returns>False if the step has failed: the value is no key.</returns>
    public bool TryEvaluateKey(LiveInstance instance, string step, Template? correlation, out string? key)
    {
        key = null;
        if (correlation is null)
        {
            return true;
        }

        if (!TryEvaluate(instance, step, correlation, out var value))
        {
            return false;
        }

        key = StepValues.Text(value);
        var problem = key is null ? null : StoreLimits.TextProblem(key, StoreLimits.MaxCorrelationKey);
        if (key is not null && problem is null)
        {
            return true;
        }

        Fail(StepValues.UnusableValue(instance, step, "correlation", correlation, value, "text or a number", problem));
        return false;
    }

    /// <returns>False if the step has failed: the value is neither.</returns>
    public bool TryEvaluateDue(
        LiveInstance instance, string step, Template? duration, Template? until, out DateTimeOffset due)
    {
        due = default;
        var source = (duration ?? until)!;
        if (!TryEvaluate(instance, step, source, out var value))
        {
            return false;
        }

        var text = StepValues.Text(value);
        if (duration is not null && text is not null && IsoDuration.TryParse(text, out var time, out _))
        {
            due = lane.Now + time;
            return true;
        }

        if (until is not null && text is not null && IsoInstant.TryParseComputed(text, out due)
            && StoreLimits.InstantProblem(due) is null)
        {
            return true;
        }

        var wanted = duration is null
            ? $"an ISO 8601 instant such as 2026-01-31T12:00:00Z, at the latest {StoreLimits.LatestInstant:yyyy-MM-dd}"
            : $"a duration such as PT2S that is not negative, at most P{IsoDuration.Longest.Days}D";
        Fail(StepValues.UnusableValue(instance, step, duration is null ? "until" : "duration", source, value, wanted));
        return false;
    }

    /// <summary>Checks whether a value is small and flat enough for the instance to keep it.</summary>
    /// <param name="levels">The number of nesting levels that the engine adds to the value.</param>
    /// <returns>False if the step has failed: the value is too large or too deep.</returns>
    public bool TryKeep(string step, string what, Value value, int levels = 0)
    {
        if (_budget.CheckValue(what, value, step, levels) is { } tooLarge)
        {
            FailInstance(tooLarge);
            return false;
        }

        return true;
    }

    /// <returns>False if the step has failed: the budget is exceeded.</returns>
    public bool TrySpend(string step, long work)
    {
        if (_budget.Work.TrySpend(work))
        {
            return true;
        }

        FailInstance(_budget.WorkExceeded(step));
        return false;
    }

    /// <summary>Checks whether the instance may have another wait, and spends its work.</summary>
    /// <param name="input">The value that the wait keeps or that is written for it.</param>
    /// <param name="isEvent">Whether the wait is for an event beside that of the step.</param>
    /// <param name="isKept">Whether the wait keeps the input, whatever the step is.</param>
    /// <returns>False if the step has failed: the wait is not allowed.</returns>
    public bool TryAddWait(
        LiveInstance instance, StepDefinition step, Value input = default, bool isEvent = false, bool isKept = false)
    {
        if (_budget.CheckWait(instance, step, isKept || step is InvokeStep ? input : default, isEvent) is { } tooLarge)
        {
            FailInstance(tooLarge);
            return false;
        }

        return TrySpend(step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(input));
    }

    /// <summary>Fails the current step with an error that an enclosing sub-process may handle.</summary>
    /// <param name="what">The name of the failure in the history.</param>
    public void Fail(InstanceError error, string what = "stepFailed") => _failure = new(error, what);

    /// <summary>
    /// Fails the current step and the instance with it, because of a limit or an activity that is not registered.
    /// </summary>
    public void FailInstance(InstanceError error) => _failure = new(error, "stepFailed", IsLimit: true);

    /// <summary>Takes the failure of the current step; null if it has not failed.</summary>
    public StepFailure? TakeFailure()
    {
        var failure = _failure;
        _failure = null;
        return failure;
    }
}

using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>What one command may cost in steps and work, over all instances that it moves; and how large each of them may get.</summary>
internal sealed class CommandBudget(WorkflowEngineOptions options)
{
    /// <summary>Work of an effect that a step has beside its values: a row, an event, a line of the history.</summary>
    public const long EffectWork = 100;

    /// <summary>Work of the start and the end of a sub-workflow, besides.</summary>
    public const long CallWork = 500;

    private const int PathLength = 11;
    private readonly string[] _path = new string[PathLength];
    private int _steps;

    public Evaluation Work { get; } = new(options.MaxWorkPerCommand);

    public void Begin()
    {
        _steps = 0;
        Work.Begin();
    }

    /// <summary>A token enters a step.</summary>
    /// <returns>Null while the command may go on.</returns>
    public InstanceError? Enter(LiveInstance instance, string step)
    {
        _path[_steps % PathLength] = step;
        _steps++;
        return _steps > options.MaxStepsPerCommand
            ? new($"One command executed more than {options.MaxStepsPerCommand} steps, so the definition loops: {Path()}. Put a wait "
                + "into the loop, or raise MaxStepsPerCommand.", step)
            : Work.IsExceeded ? Overspent(step)
            : instance.Size > options.Limits.MaxInstanceSize ? TooLarge(instance, step)
            : null;
    }

    /// <summary>One wait more, or one call: whether the instance may have it.</summary>
    /// <param name="input">What the wait keeps until an activity has returned.</param>
    /// <param name="isEvent">Whether it is the wait for an event, beside that of the step.</param>
    public InstanceError? Rest(LiveInstance instance, StepDefinition step, Value input, bool isEvent)
    {
        var limits = options.Limits;
        if (instance.Waits.Count >= limits.MaxOpenWaits)
        {
            return new($"The instance has {instance.Waits.Count} open waits, the limit is {limits.MaxOpenWaits}: {Path()}. Fork less at a "
                + "time, or raise MaxOpenWaits.", step.Id);
        }

        if (!isEvent && step is CallStep or CallEachStep && instance.Children >= limits.MaxChildren)
        {
            return new($"The instance has called {instance.Children} sub-workflows, the limit is {limits.MaxChildren}: {Path()}. Call from "
                + "sub-workflows, or raise MaxChildren.", step.Id);
        }

        var inputs = input.IsNull ? 0 : instance.Waits.Sum(w => (long)w.Input.Weight) + input.Weight;
        return inputs + instance.Size <= limits.MaxInstanceSize ? null
            : new($"The inputs of its running activities make the instance {inputs + instance.Size} characters of JSON large, the limit is "
                + $"{limits.MaxInstanceSize}: {Path()}. Give them less, or raise MaxInstanceSize.", step.Id);
    }

    /// <summary>A value that the instance is to keep beside its variables.</summary>
    /// <param name="levels">Levels of the value that are the engine's.</param>
    public InstanceError? Keep(string what, Value value, string step, int levels) =>
        value.Weight > options.Limits.MaxInstanceSize
            ? new($"The {what} has {value.Weight} characters, the limit is {options.Limits.MaxInstanceSize}: {Path()}. Make it smaller, "
                + "or raise MaxInstanceSize.", step)
        : value.Depth - levels > StoreLimits.MaxValueDepth
            ? new($"The {what} nests {value.Depth - levels} levels deep, the limit is {StoreLimits.MaxValueDepth}: {Path()}. Nest less, "
                + "e.g. join the lists of sub-workflows, or keep a part of them.", step)
        : null;

    private InstanceError TooLarge(LiveInstance instance, string step)
    {
        var (name, value) = instance.Variables.MaxBy(v => v.Value.Weight);
        return new($"The variables of the instance have {instance.Size} characters of JSON, the limit is {options.Limits.MaxInstanceSize}: "
            + $"{Path()}. The largest is '{name}' with {value.Weight}. Keep less in variables, or raise MaxInstanceSize.", step);
    }

    /// <summary>The work of a step is more than what is left.</summary>
    public InstanceError Overspent(string step) => new(
        string.Create(CultureInfo.InvariantCulture, $"One command needs {Work.Spent} units of work after {_steps} steps, and may take "
            + $"{Work.Limit}: {Path()}. Work on smaller lists and texts, put a wait in between, or raise MaxWorkPerCommand."), step);

    /// <summary>The last steps, the present one last.</summary>
    private string Path()
    {
        var shown = Math.Min(_steps, PathLength);
        var path = string.Join(" > ", Enumerable.Range(_steps - shown, shown).Select(i => _path[i % PathLength]));
        return _steps > PathLength ? "... " + path : path;
    }
}

/// <summary>
/// Evaluates what the present step names, within the command's budget. A step that cannot go on fails here: that is acted upon once it has
/// returned.
/// </summary>
internal sealed class StepEvaluator(LaneContext lane)
{
    private readonly CommandBudget _budget = new(lane.Options);
    private StepFailure? _failure;

    /// <summary>Whether the present step fails: nothing more of it is done.</summary>
    public bool HasFailed => _failure is not null;

    /// <summary>Work of the present command so far: all that it writes beside its instances' variables is part of it.</summary>
    public long Spent => _budget.Work.Spent;

    /// <summary>A command begins: what it may cost counts over all its instances.</summary>
    public void Begin()
    {
        _budget.Begin();
        _failure = null;
    }

    /// <summary>A token enters a step.</summary>
    /// <returns>False when it may not: the step has failed.</returns>
    public bool TryEnter(LiveInstance instance, string step)
    {
        if (_budget.Enter(instance, step) is not { } overspent)
        {
            return true;
        }

        Exceed(overspent);
        return false;
    }

    /// <summary>Evaluates a value of a step; null where the step has none.</summary>
    /// <returns>False when that took more than the command's budget, or broke off: the step has failed.</returns>
    public bool TryEvaluate(LiveInstance instance, string step, Template? template, out Value value) =>
        TryEvaluate(step, template, instance.Variables, out value);

    public bool TryEvaluate(string step, Template? template, IReadOnlyDictionary<string, Value> variables, out Value value)
    {
        value = Value.Null;
        try
        {
            value = template?.Evaluate(variables, _budget.Work) ?? Value.Null;
        }
        catch (Exception e)
        {
            // An expression has no exceptions; if one comes all the same, it is this instance's.
            Fail(new($"Step '{step}' broke off: {e.Message}", step, StepValues.Written(template!)));
            return false;
        }

        return TrySpend(step, 0);
    }

    /// <summary>Evaluates a condition.</summary>
    /// <returns>False when the step has failed for its work.</returns>
    public bool TryDecide(string step, Expression condition, IReadOnlyDictionary<string, Value> variables, out bool isTrue)
    {
        isTrue = condition.Evaluate(variables, _budget.Work).IsTrue;
        return TrySpend(step, 0);
    }

    /// <summary>Evaluates a correlation; a null key where there is none.</summary>
    /// <returns>False when it gives no key: the step has failed.</returns>
    public bool TryKey(LiveInstance instance, string step, Template? correlation, out string? key)
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

        Fail(StepValues.Unusable(instance, step, "correlation", correlation, value, "text or a number", problem));
        return false;
    }

    /// <summary>Evaluates a duration from now, or an instant.</summary>
    /// <returns>False when it gives none: the step has failed.</returns>
    public bool TryDue(LiveInstance instance, string step, Template? duration, Template? until, out DateTimeOffset due)
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

        if (until is not null && text is not null && IsoInstant.TryParseComputed(text, out due) && StoreLimits.InstantProblem(due) is null)
        {
            return true;
        }

        var wanted = duration is null
            ? $"an ISO 8601 instant such as 2026-01-31T12:00:00Z, at the latest {StoreLimits.LatestInstant:yyyy-MM-dd}"
            : $"a duration such as PT2S that is not negative, at most P{IsoDuration.Longest.Days}D";
        Fail(StepValues.Unusable(instance, step, duration is null ? "until" : "duration", source, value, wanted));
        return false;
    }

    /// <summary>Whether a value is small and flat enough for the instance to keep it.</summary>
    /// <param name="levels">Levels of the value that are the engine's.</param>
    /// <returns>False when it is not: the step has failed.</returns>
    public bool TryKeep(string step, string what, Value value, int levels = 0)
    {
        if (_budget.Keep(what, value, step, levels) is { } tooLarge)
        {
            Exceed(tooLarge);
            return false;
        }

        return true;
    }

    /// <returns>False when the budget is exceeded: the step has failed.</returns>
    public bool TrySpend(string step, long work)
    {
        if (_budget.Work.TrySpend(work))
        {
            return true;
        }

        Exceed(_budget.Overspent(step));
        return false;
    }

    /// <summary>Before a wait begins: what it costs, and whether the instance may have one more.</summary>
    /// <param name="input">What the wait keeps, or what is written for it.</param>
    /// <param name="isEvent">Whether it is the wait for an event, beside that of the step.</param>
    /// <param name="isKept">Whether the wait keeps it, whatever the step.</param>
    /// <returns>False when it may not: the step has failed.</returns>
    public bool TryRest(LiveInstance instance, StepDefinition step, Value input = default, bool isEvent = false, bool isKept = false)
    {
        if (_budget.Rest(instance, step, isKept || step is InvokeStep ? input : default, isEvent) is { } tooLarge)
        {
            Exceed(tooLarge);
            return false;
        }

        return TrySpend(step.Id, CommandBudget.EffectWork + Evaluation.WorkOfWriting(input));
    }

    /// <summary>The present step fails, with an error that a sub-process around it may take.</summary>
    /// <param name="what">What the history calls it.</param>
    public void Fail(InstanceError error, string what = "stepFailed") => _failure = new(error, what);

    /// <summary>The present step fails, and the instance with it: a limit, or what this engine cannot execute.</summary>
    public void Exceed(InstanceError error) => _failure = new(error, "stepFailed", IsLimit: true);

    /// <summary>Why the present step fails; null when it does not. Afterwards it does no more.</summary>
    public StepFailure? TakeFailure()
    {
        var failure = _failure;
        _failure = null;
        return failure;
    }
}

/// <summary>Why a step fails.</summary>
/// <param name="What">What the history calls it when a sub-process takes the error.</param>
/// <param name="IsLimit">Whether the instance fails whatever is around the step.</param>
internal sealed record StepFailure(InstanceError Error, string What, bool IsLimit = false);

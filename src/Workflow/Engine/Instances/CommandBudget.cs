using System.Globalization;
using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;
using Workflow.Contracts.Instances;
using Workflow.Engine.Configuration;

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

    /// <summary>A command begins.</summary>
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
    public InstanceError? Keep(string what, Value value, string step) => value.Weight <= options.Limits.MaxInstanceSize ? null
        : new($"The {what} has {value.Weight} characters, the limit is {options.Limits.MaxInstanceSize}: {Path()}. Make it smaller, "
            + "or raise MaxInstanceSize.", step);

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

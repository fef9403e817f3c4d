using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Instances;

/// <summary>
/// The steps and work that one command may spend over all instances it moves, and the maximum size of each instance.
/// </summary>
internal sealed class CommandBudget(WorkflowEngineOptions options)
{
    /// <summary>The work of an effect in addition to its values: a row, an event, a history line.</summary>
    public const long EffectWork = 100;

    /// <summary>The additional work of the start and the end of a sub-workflow.</summary>
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

    /// <returns>Null while the command may continue.</returns>
    public InstanceError? CheckStep(LiveInstance instance, string step)
    {
        _path[_steps % PathLength] = step;
        _steps++;
        return _steps > options.MaxStepsPerCommand
            ? new($"One command executed more than {options.MaxStepsPerCommand} steps, so the definition loops: "
                + $"{Path()}. Put a wait into the loop, or raise MaxStepsPerCommand.", step)
            : Work.IsExceeded ? WorkExceeded(step)
            : instance.Size > options.Limits.MaxInstanceSize ? TooLarge(instance, step)
            : null;
    }

    /// <summary>Checks whether the instance may have another wait or call.</summary>
    /// <param name="input">The input that the wait keeps until its activity has returned.</param>
    /// <param name="isEvent">Whether the wait is for an event beside that of the step.</param>
    public InstanceError? CheckWait(LiveInstance instance, StepDefinition step, Value input, bool isEvent)
    {
        var limits = options.Limits;
        if (instance.Waits.Count >= limits.MaxOpenWaits)
        {
            return new($"The instance has {instance.Waits.Count} open waits, the limit is {limits.MaxOpenWaits}: "
                + $"{Path()}. Fork less at a time, or raise MaxOpenWaits.", step.Id);
        }

        if (!isEvent && step is CallStep or CallEachStep && instance.Children >= limits.MaxChildren)
        {
            return new($"The instance has called {instance.Children} sub-workflows, the limit is {limits.MaxChildren}: "
                + $"{Path()}. Call from sub-workflows, or raise MaxChildren.", step.Id);
        }

        var inputs = input.IsNull ? 0 : instance.Waits.Sum(w => (long)w.Input.Weight) + input.Weight;
        return inputs + instance.Size <= limits.MaxInstanceSize ? null
            : new($"The inputs of its running activities make the instance {inputs + instance.Size} characters of JSON "
                + $"large, the limit is {limits.MaxInstanceSize}: {Path()}. Give them less, or raise "
                + "MaxInstanceSize.", step.Id);
    }

    /// <summary>Checks a value that the instance keeps outside its variables.</summary>
    /// <param name="levels">The number of nesting levels that the engine adds to the value.</param>
    public InstanceError? CheckValue(string what, Value value, string step, int levels) =>
        value.Weight > options.Limits.MaxInstanceSize
            ? new($"The {what} has {value.Weight} characters, the limit is {options.Limits.MaxInstanceSize}: {Path()}. "
                + "Make it smaller, or raise MaxInstanceSize.", step)
        : value.Depth - levels > StoreLimits.MaxValueDepth
            ? new($"The {what} nests {value.Depth - levels} levels deep, the limit is {StoreLimits.MaxValueDepth}: "
                + $"{Path()}. Nest less, e.g. join the lists of sub-workflows, or keep a part of them.", step)
        : null;

    private InstanceError TooLarge(LiveInstance instance, string step)
    {
        var (name, value) = instance.Variables.MaxBy(v => v.Value.Weight);
        return new($"The variables of the instance have {instance.Size} characters of JSON, the limit is "
            + $"{options.Limits.MaxInstanceSize}: {Path()}. The largest is '{name}' with {value.Weight}. Keep less in "
            + "variables, or raise MaxInstanceSize.", step);
    }

    /// <summary>Creates the error of a step that needs more work than is left.</summary>
    public InstanceError WorkExceeded(string step) => new(
        string.Create(CultureInfo.InvariantCulture, $"One command needs {Work.Spent} units of work after {_steps} "
            + $"steps, and may take {Work.Limit}: {Path()}. Work on smaller lists and texts, put a wait in between, or "
            + $"raise MaxWorkPerCommand."), step);

    /// <summary>The most recent steps, the current one last.</summary>
    private string Path()
    {
        var shown = Math.Min(_steps, PathLength);
        var path = string.Join(" > ", Enumerable.Range(_steps - shown, shown).Select(i => _path[i % PathLength]));
        return _steps > PathLength ? "... " + path : path;
    }
}

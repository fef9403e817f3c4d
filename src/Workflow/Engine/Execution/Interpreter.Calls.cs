using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;

namespace Workflow.Engine.Execution;

/// <content>Calls of sub-workflows.</content>
internal sealed partial class Interpreter
{
    /// <summary>Calls that may lie within one another: more are definitions that call one another in a circle.</summary>
    private const int MaxCallDepth = 32;

    private void Call(LiveInstance instance, CallStep step, int scope)
    {
        var input = step.Input?.Evaluate(instance.Variables) ?? Value.Null;
        var definition = executor.FindDefinition(step.Definition, step.Version);
        var problem = definition is null ? $"it is not registered. Register it with POST /definitions{(step.Version is { } version ? $", version {version}," : "")} and start again."
            : input.Kind is not (ValueKind.Null or ValueKind.Context) ? $"its input is a {input.Kind}; it must be an object whose members become the first variables."
            : instance.Depth >= MaxCallDepth ? $"{instance.Depth} calls lie above it already: definitions call one another in a circle."
            : null;
        if (problem is not null)
        {
            Handle(instance, step.Id, step.OnError, "callFailed", $"Sub-workflow '{step.Definition}' was not started: {problem}", scope);
            return;
        }

        var wait = executor.NewWait(step.Id, WaitKind.Call, scope) with
        {
            Id = Partitioning.NewId(executor.Now, instance.Partition),
            Name = step.Definition,
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, wait.Id.ToString());
        executor.BeginCall(instance, wait, definition!, input);
    }
}

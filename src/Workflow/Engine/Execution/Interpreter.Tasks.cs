using Workflow.Abstractions;
using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Expressions;

namespace Workflow.Engine.Execution;

/// <content>Tasks: who is to do them.</content>
internal sealed partial class Interpreter
{
    private void MakeTask(LiveInstance instance, TaskStep step, int scope)
    {
        var assignee = step.Assignee?.Evaluate(instance.Variables) ?? Value.Null;
        if (!assignee.IsNull && NameOf(assignee) is null)
        {
            Stop(instance, BadName(instance, step.Id, "assignee", step.Assignee!));
            return;
        }

        var groups = step.Groups?.Evaluate(instance.Variables).AsList().Select(NameOf).Distinct(StringComparer.Ordinal).ToArray() ?? [];
        if (groups.Contains(null))
        {
            Stop(instance, BadName(instance, step.Id, "groups", step.Groups!));
            return;
        }

        var wait = executor.NewWait(step.Id, WaitKind.Task, scope) with
        {
            Id = Partitioning.NewId(executor.Now, instance.Partition),
            Name = NameOf(assignee),
            DueUtc = step.Timeout is { } timeout ? executor.Now + timeout : null,
        };
        InstanceHistory.Append(instance, executor.Now, "waiting", step.Id, wait.Name);
        executor.BeginTask(instance, wait, groups!);
    }

    private static Contracts.Instances.InstanceError BadName(LiveInstance instance, string step, string member, Template source) =>
        Missing(instance, step, member, source, $"names of 1 to {CommandChecks.MaxAssignee} characters");

    /// <summary>The name of a person or a group; null where the value is none that every store keeps.</summary>
    private static string? NameOf(Value value) => Text(value) is { } text && CommandChecks.IsName(text) ? text : null;
}

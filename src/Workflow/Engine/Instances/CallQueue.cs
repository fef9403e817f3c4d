namespace Workflow.Engine.Instances;

/// <summary>
/// Called instances that have to run, and finished ones that return to their parent. They wait until the interpreter is
/// free, because it runs one instance at a time.
/// </summary>
internal sealed class CallQueue(InstanceHandler instances, LaneState lane)
{
    private readonly Queue<LiveInstance> _waiting = new();
    private bool _running;

    public void Add(LiveInstance relative) => _waiting.Enqueue(relative);

    public void Clear()
    {
        _waiting.Clear();
        _running = false;
    }

    /// <summary>Runs called children and resumes the parents of finished ones until none is left.</summary>
    public void Run()
    {
        if (_running)
        {
            return;
        }

        _running = true;
        while (_waiting.TryDequeue(out var relative))
        {
            if (relative.IsFinished)
            {
                ReturnToParent(relative);
            }
            else
            {
                instances.Tokens.Run(relative, relative.Definition.Start, scope: 0);
            }
        }

        _running = false;
    }

    private void ReturnToParent(LiveInstance child)
    {
        if (lane.Dormancy.Find(child.ParentId!.Value) is not { } parent
            || parent.FindWait(child.Id) is not { IsReady: false } wait)
        {
            // The parent has finished or timed out and has cancelled the child.
            return;
        }

        instances.Tokens.Take(parent, wait);
        if (child.State == InstanceState.Completed)
        {
            instances.Tokens.Continue(parent, wait, child.Output);
            return;
        }

        var error = child.Error is { } failed
            ? $"Sub-workflow '{child.Definition.Name}' ({child.Id}) "
                + $"failed{(failed.Step is null ? "" : $" at step '{failed.Step}'")}: {failed.Message}"
            : $"Sub-workflow '{child.Definition.Name}' ({child.Id}) was cancelled.";
        instances.Tokens.Continue(
            parent, wait, Value.Null, new InstanceError(error, wait.Step, Code: child.Error?.Code));
    }
}

using Workflow.Engine.Inboxes;

namespace Workflow.Engine.Execution;

/// <summary>A command with a caller who waits for its result.</summary>
internal abstract class LaneCommand<T> : LaneCommand
{
    private readonly TaskCompletionSource<T> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Exception? _refusal;
    private T _result = default!;

    public override bool IsAwaited => true;

    public Task<T> Completion => _completion.Task;

    public override string Reply => (_refusal is null ? RemoteReply.Of(_result) : RemoteReply.Of(_refusal)).ToJson();

    public override void Decline(Exception refusal) => Refuse(refusal);

    /// <summary>Sets what the caller is told after the commit.</summary>
    protected void Succeed(T result)
    {
        _result = result;
        _refusal = null;
    }

    /// <summary>Refuses the command for its content; told after the commit, since the refusal may rest on uncommitted state.</summary>
    protected void Refuse(Exception refusal) => _refusal = refusal;

    public override void Acknowledge()
    {
        if (_refusal is null)
        {
            _completion.TrySetResult(_result);
        }
        else
        {
            _completion.TrySetException(_refusal);
        }
    }

    public override void Fail(Exception error) => _completion.TrySetException(error);
}

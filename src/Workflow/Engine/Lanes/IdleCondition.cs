using Workflow.Engine.Events;

namespace Workflow.Engine.Lanes;

/// <summary>Lets callers wait for a condition that is checked again after every progress.</summary>
internal sealed class IdleCondition
{
    private readonly ChangeSignal _progress = new();
    private volatile bool _hasEnded;

    public void Progressed() => _progress.Set();

    /// <summary>No more changes follow.</summary>
    public void End()
    {
        _hasEnded = true;
        Progressed();
    }

    /// <exception cref="EngineStoppedException">The engine has ended and the condition does not hold.</exception>
    public async Task WaitAsync(Func<bool> holds, CancellationToken cancellationToken)
    {
        while (true)
        {
            var next = _progress.Next;
            if (holds())
            {
                return;
            }

            if (_hasEnded)
            {
                throw new EngineStoppedException("what is left");
            }

            await next.WaitAsync(cancellationToken);
        }
    }
}

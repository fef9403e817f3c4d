namespace Workflow.Abstractions.Exceptions;

public sealed class EngineAlreadyRunningException(string store, string holder) : WorkflowException(
    $"Another engine is running on {store} ({holder}). Stop it, or give this one a store of its own: this kind of "
        + "store cannot be shared.")
{
    public string Holder { get; } = holder;

    public override string Code => "engine-already-running";
}

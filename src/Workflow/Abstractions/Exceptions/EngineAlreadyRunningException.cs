namespace Workflow.Abstractions.Exceptions;

/// <summary>Another engine owns the store.</summary>
public sealed class EngineAlreadyRunningException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public EngineAlreadyRunningException(string store, string holder)
        : base($"Another engine is running on {store} ({holder}). Stop it, or give this one a store of its own: this kind of store cannot be shared.")
    {
        Holder = holder;
    }

    /// <summary>What is known of the other engine.</summary>
    public string Holder { get; }

    /// <inheritdoc/>
    public override string Code => "engine-already-running";
}

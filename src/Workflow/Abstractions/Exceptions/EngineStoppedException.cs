namespace Workflow.Abstractions.Exceptions;

/// <summary>The engine is stopping or has stopped.</summary>
public sealed class EngineStoppedException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public EngineStoppedException(string what)
        : base($"The engine is stopping; {what} was not accepted. Send it to a running engine.")
    {
    }

    /// <inheritdoc/>
    public override string Code => "engine-stopped";
}

namespace Workflow.Abstractions.Exceptions;

public sealed class EngineStoppedException(string what)
    : WorkflowException($"The engine is stopping; {what} was not accepted. Send it to a running engine.")
{
    public override string Code => "engine-stopped";
}

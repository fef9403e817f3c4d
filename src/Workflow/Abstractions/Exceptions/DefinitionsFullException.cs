namespace Workflow.Abstractions.Exceptions;

/// <summary>The limit of registered definitions is reached.</summary>
public sealed class DefinitionsFullException(int count, int maxCount, long size, long maxSize) : WorkflowException(
    $"{count} versions of definitions with {size} characters are registered; the limits are {maxCount} "
        + $"(MaxDefinitions) and {maxSize} (MaxDefinitionsSize). Change a definition less often, or raise the limit.")
{
    public override string Code => "definitions-full";
}

using Workflow.Abstractions.Definitions;
using Workflow.Abstractions.Exceptions;
using Workflow.Contracts.Definitions;

namespace Workflow.Abstractions.Building;

/// <summary>Registers what was built.</summary>
public static class DefinitionRegistration
{
    /// <summary>Registers a definition. The same content again changes nothing.</summary>
    /// <returns>The definition, and whether it was new.</returns>
    /// <exception cref="DefinitionInvalidException">
    /// It has errors, e.g. an activity that the engine does not know.
    /// </exception>
    /// <exception cref="DefinitionConflictException">Name and version are taken by other content.</exception>
    public static Task<(DefinitionInfo Definition, bool Created)> RegisterDefinitionAsync(
        this IWorkflowEngine engine, WorkflowDefinition definition, CancellationToken cancellationToken = default) =>
        engine.RegisterDefinitionAsync(Encoding.UTF8.GetBytes(definition.Json), cancellationToken);
}

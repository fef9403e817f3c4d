namespace Workflow.Abstractions.Exceptions;

/// <summary>No such definition or version.</summary>
public sealed class DefinitionNotFoundException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public DefinitionNotFoundException(string name, int? version)
        : base(version is null ? $"There is no definition '{name}'. Register it with POST /definitions." : $"There is no version {version} of definition '{name}'. GET /definitions lists those there are.")
    {
        Name = name;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <inheritdoc/>
    public override string Code => "definition-not-found";
}

namespace Workflow.Abstractions.Exceptions;

public sealed class DefinitionNotFoundException(string name, int? version) : WorkflowException(version is null
    ? $"There is no definition '{name}'. Register it with POST /definitions."
    : $"There is no version {version} of definition '{name}'. GET /definitions lists those that exist.")
{
    public string Name { get; } = name;
    public override string Code => "definition-not-found";
}

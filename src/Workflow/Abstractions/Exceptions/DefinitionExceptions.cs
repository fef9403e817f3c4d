namespace Workflow.Abstractions.Exceptions;

/// <summary>As many definitions are registered as may be.</summary>
public sealed class DefinitionsFullException(int count, int maxCount, long size, long maxSize) : WorkflowException(
    $"{count} versions of definitions with {size} characters are registered; the limits are {maxCount} (MaxDefinitions) and {maxSize} "
    + "(MaxDefinitionsSize). Change a definition less often, or raise the limit.")
{
    public override string Code => "definitions-full";
}

/// <summary>A definition has errors; every one of them is listed.</summary>
public sealed class DefinitionInvalidException(IReadOnlyList<DefinitionError> errors) : WorkflowException(
    $"The definition has {errors.Count} error(s): " + string.Join(" | ", errors.Select(Shown)))
{
    public IReadOnlyList<DefinitionError> Errors { get; } = errors;
    public override string Code => "definition-invalid";

    private static string Shown(DefinitionError error) =>
        error.Column is { } column ? $"{error.Path}, column {column}: {error.Message}" : $"{error.Path}: {error.Message}";
}

public sealed class DefinitionNotFoundException(string name, int? version) : WorkflowException(version is null
    ? $"There is no definition '{name}'. Register it with POST /definitions."
    : $"There is no version {version} of definition '{name}'. GET /definitions lists those there are.")
{
    public string Name { get; } = name;
    public override string Code => "definition-not-found";
}

/// <summary>A name and version is taken by other content.</summary>
public sealed class DefinitionConflictException(string name, int version, string registeredHash, string offeredHash) : WorkflowException(
    $"Definition '{name}' version {version} is registered with other content "
    + $"(registered {registeredHash[..12]}, offered {offeredHash[..12]}). "
    + "Running instances keep their version, so it never changes: "
    + (version < int.MaxValue ? $"register version {version + 1}." : "no version is left behind it, so give the definition another name."))
{
    public string Name { get; } = name;
    public int Version { get; } = version;
    public override string Code => "definition-conflict";
}

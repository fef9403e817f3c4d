namespace Workflow.Abstractions.Exceptions;

/// <summary>The name and version are registered with other content.</summary>
public sealed class DefinitionConflictException(string name, int version, string registeredHash, string offeredHash)
    : WorkflowException(
        $"Definition '{name}' version {version} is registered with other content "
        + $"(registered {registeredHash[..12]}, offered {offeredHash[..12]}). "
        + "Running instances keep their version, so it never changes: "
        + (version < int.MaxValue
            ? $"register version {version + 1}."
            : "no version is left behind it, so give the definition another name."))
{
    public string Name { get; } = name;
    public int Version { get; } = version;
    public override string Code => "definition-conflict";
}

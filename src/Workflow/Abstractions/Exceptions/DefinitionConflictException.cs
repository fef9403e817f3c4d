namespace Workflow.Abstractions.Exceptions;

/// <summary>A name and version is taken by other content.</summary>
public sealed class DefinitionConflictException : WorkflowException
{
    /// <summary>Makes the error.</summary>
    public DefinitionConflictException(string name, int version, string registeredHash, string offeredHash)
        : base($"Definition '{name}' version {version} is registered with other content (registered {registeredHash[..12]}, offered {offeredHash[..12]}). Running instances keep their version, so it never changes: register version {version + 1}.")
    {
        Name = name;
        Version = version;
    }

    /// <summary>The name.</summary>
    public string Name { get; }

    /// <summary>The version.</summary>
    public int Version { get; }

    /// <inheritdoc/>
    public override string Code => "definition-conflict";
}

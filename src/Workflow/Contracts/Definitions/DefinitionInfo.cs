namespace Workflow.Contracts.Definitions;

/// <summary>A registered definition.</summary>
/// <param name="Name">Name.</param>
/// <param name="Version">Version.</param>
/// <param name="ContentHash">SHA-256 of the canonical content, hexadecimal.</param>
/// <param name="RegisteredUtc">When it was registered (UTC).</param>
public sealed record DefinitionInfo(string Name, int Version, string ContentHash, DateTimeOffset RegisteredUtc);

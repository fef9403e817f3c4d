namespace Workflow.Abstractions.Stores;

/// <summary>A registered definition.</summary>
/// <param name="Name">Name.</param>
/// <param name="Version">Version.</param>
/// <param name="ContentHash">SHA-256 of the canonical JSON.</param>
/// <param name="Body">The canonical JSON.</param>
/// <param name="RegisteredUtc">When (UTC).</param>
public sealed record DefinitionRow(string Name, int Version, string ContentHash, string Body, DateTimeOffset RegisteredUtc);

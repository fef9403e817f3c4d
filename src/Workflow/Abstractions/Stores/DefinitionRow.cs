namespace Workflow.Abstractions.Stores;

/// <param name="ContentHash">SHA-256 of the canonical JSON.</param>
/// <param name="Number">Assigned by the store: 1, 2, 3 and so on, in the order of the commits; 0 until then.</param>
public sealed record DefinitionRow(
    string Name, int Version, string ContentHash, string Body, DateTimeOffset RegisteredUtc, long Number = 0);

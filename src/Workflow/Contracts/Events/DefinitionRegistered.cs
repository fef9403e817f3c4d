namespace Workflow.Contracts.Events;

/// <summary>
/// A new version of a definition was registered: <see cref="IntegrationEvent.Definition"/> and
/// <see cref="IntegrationEvent.DefinitionVersion"/> say which. Versions of one definition come in the order of their
/// registrations.
/// </summary>
public sealed record DefinitionRegistered : IntegrationEvent
{
    public override string Type => nameof(DefinitionRegistered);

    /// <summary>Hash of its canonical JSON, as the registration was answered with.</summary>
    public required string ContentHash { get; init; }
}

namespace LoadTesting.Core.Catalogue;

/// <summary>A scenario of a catalogue.</summary>
/// <param name="Name">The name without the profile.</param>
/// <param name="Tier">The tier that runs it.</param>
/// <param name="Question">The question that it answers.</param>
/// <param name="Profiles">The profiles on which it can run.</param>
/// <param name="TakesLoad">Whether rate, duration and warm-up can be set.</param>
public sealed record CatalogueScenario(
    string Name, string Tier, string Question, IReadOnlyList<string> Profiles, bool TakesLoad);

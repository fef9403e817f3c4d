namespace IntegrationTests.Shared.Faults;

/// <summary>An instance as the service lists it at the end.</summary>
public sealed record ListedInstance(Guid Id, string? Key, bool IsCompleted);

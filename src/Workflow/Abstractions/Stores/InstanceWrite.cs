namespace Workflow.Abstractions.Stores;

/// <summary>An instance as it is from now on, live or over, and what that replaces.</summary>
public readonly record struct InstanceWrite(InstanceOrigin Origin, InstanceRow Row);

namespace Workflow.Abstractions.Stores;

/// <summary>The new row of an instance, live or ended, and what the row replaces.</summary>
public readonly record struct InstanceWrite(InstanceOrigin Origin, InstanceRow Row);

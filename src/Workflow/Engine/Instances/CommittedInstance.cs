namespace Workflow.Engine.Instances;

/// <summary>The last committed values of an instance that can change.</summary>
internal readonly record struct CommittedInstance(
    string Body, InstanceState State, long Revision, DateTimeOffset UpdatedUtc);

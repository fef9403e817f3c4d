namespace Workflow.Client.Api;

/// <summary>Nothing to Refit, which finds the parameters of a path by their names; RestEase has one of its own.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
internal sealed class PathAttribute : Attribute;

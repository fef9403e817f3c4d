namespace Workflow.Contracts;

/// <summary>Names that service and client share on the wire.</summary>
public static class ContractsHttp
{
    /// <summary>Response header of the event stream: the position at which it begins. Sent back as <c>Last-Event-ID</c> it resumes there.</summary>
    public const string EventPositionHeader = "Event-Position";
}

namespace Workflow.Contracts;

/// <summary>Names that service and client share on the wire.</summary>
public static class ContractsHttp
{
    /// <summary>
    /// Response header of the event stream: the position at which it begins. <c>Last-Event-ID</c> resumes there.
    /// </summary>
    public const string EventPositionHeader = "Event-Position";

    /// <summary>
    /// Request header of a client that sends to owners: the partition that it has found, by number.
    /// </summary>
    public const string PartitionHeader = "Workflow-Partition";

    /// <summary>
    /// Response header to <see cref="PartitionHeader"/> where another node has the partition: the address of that node,
    /// or nothing where it is not known.
    /// </summary>
    public const string OwnerHeader = "Workflow-Owner";

    /// <summary>Request header: a command with it has one effect, however often it is sent.</summary>
    public const string IdempotencyKeyHeader = "Idempotency-Key";

    /// <summary>Request header with one of the service's keys, where it has any (<c>Access:Keys</c>).</summary>
    public const string KeyHeader = "X-Api-Key";
}

using Workflow.WebService.Configuration;

namespace Workflow.WebService.Access;

/// <summary>The access of a request for a page. The request has no grant if the service has no keys.</summary>
internal sealed record AccessGrant(AccessLevel Level)
{
    public static readonly AccessGrant Read = new(AccessLevel.Read);
    public static readonly AccessGrant Full = new(AccessLevel.Full);
}

namespace Workflow.WebService.Configuration;

/// <summary>What a request may do.</summary>
internal enum AccessLevel
{
    None,

    /// <summary>GET and HEAD.</summary>
    Read,

    Full,
}

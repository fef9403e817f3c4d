namespace Workflow.Engine.Configuration;

/// <summary>The outcome of a request to another node.</summary>
public enum PeerOutcome
{
    /// <summary>The outcome is unknown.</summary>
    Unknown,

    /// <summary>The node was not reached, or does not accept requests of this node.</summary>
    Unreachable,

    /// <summary>The node does not own the lane or does not accept the request. Nothing was committed there.</summary>
    NotOwner,

    /// <summary>The request was committed or refused.</summary>
    Answered,
}

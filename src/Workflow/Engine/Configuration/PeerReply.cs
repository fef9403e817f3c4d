namespace Workflow.Engine.Configuration;

/// <param name="Body">JSON of the result or refusal; null unless the request was answered.</param>
/// <param name="Owner">The owner of the lane, as far as a node that does not own it knows.</param>
public readonly record struct PeerReply(PeerOutcome Outcome, string? Body = null, Guid? Owner = null);

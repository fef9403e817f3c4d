namespace Workflow.Abstractions;

/// <summary>Notifications since the start. Sent, coalesced and lost together are the notifications asked for.</summary>
/// <param name="Sent">Handed to the medium.</param>
/// <param name="Coalesced">Not sent, because one for the same lane was waiting to be sent.</param>
/// <param name="Lost">Given up: the medium was away or refused.</param>
/// <param name="Received">Came from the medium, own ones not counted where the medium can distinguish them.</param>
public sealed record NotificationCounts(long Sent, long Coalesced, long Lost, long Received);
